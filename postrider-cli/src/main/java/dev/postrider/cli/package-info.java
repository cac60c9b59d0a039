/**
 * The {@code postrider} command. Start reading at {@link dev.postrider.cli.PostriderCommand}; each command is a
 * separate class next to it.
 */
@NullMarked
package dev.postrider.cli;

import org.jspecify.annotations.NullMarked;
