/** What is set, and where. */
@NullMarked
package dev.postrider.cli.config;

import org.jspecify.annotations.NullMarked;
