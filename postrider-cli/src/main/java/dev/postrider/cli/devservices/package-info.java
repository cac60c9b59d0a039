/** Real servers for a developer, for as long as the command runs. */
@NullMarked
package dev.postrider.cli.devservices;

import org.jspecify.annotations.NullMarked;
