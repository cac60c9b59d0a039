/** The log as destination. */
@NullMarked
package dev.postrider.cli.destination.log;

import org.jspecify.annotations.NullMarked;
