/** What the command line says about itself: commands, settings, and a script for shells. */
@NullMarked
package dev.postrider.cli.help;

import org.jspecify.annotations.NullMarked;
