/**
 * What can be set about a relay, and how. A group of settings is a record; it declares an {@link
 * dev.postrider.settings.Option} for each of its components: key, format, default, description. Flags, keys in files,
 * variables and the documentation are derived from these options.
 */
@NullMarked
package dev.postrider.settings;

import org.jspecify.annotations.NullMarked;
