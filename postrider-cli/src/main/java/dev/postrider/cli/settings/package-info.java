/** Values that were set, and what they are called in each place they can come from. */
@NullMarked
package dev.postrider.cli.settings;

import org.jspecify.annotations.NullMarked;
