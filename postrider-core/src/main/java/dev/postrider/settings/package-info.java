/**
 * What can be set about a relay, and how. A group of settings is a record; beside its components it declares an {@link
 * dev.postrider.settings.Option} for each: key, format, default, description. Flags, keys in files, variables and the
 * documentation are made from these options.
 */
@NullMarked
package dev.postrider.settings;

import org.jspecify.annotations.NullMarked;
