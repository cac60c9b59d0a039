/**
 * What a user can set and how it is read: {@link dev.postrider.cli.configuration.KnownSettings} has every option, of relays and
 * of the command line itself; the keys of the file, the names in the environment, the flags and the help all come from it.
 */
@NullMarked
package dev.postrider.cli.configuration;

import org.jspecify.annotations.NullMarked;
