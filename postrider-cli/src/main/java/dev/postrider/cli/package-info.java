/**
 * The {@code postrider} command. Start reading at {@link dev.postrider.cli.PostriderCommand}; each
 * command is a class of its own beside it.
 */
@NullMarked
package dev.postrider.cli;

import org.jspecify.annotations.NullMarked;
