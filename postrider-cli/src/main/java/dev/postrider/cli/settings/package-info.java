/**
 * What a user can set and how it is read: {@link dev.postrider.cli.settings.KnownSettings} has every option, of relays and
 * of the command line itself; the file's keys, the names in the environment, the flags and the help all come from it.
 */
@NullMarked
package dev.postrider.cli.settings;

import org.jspecify.annotations.NullMarked;
