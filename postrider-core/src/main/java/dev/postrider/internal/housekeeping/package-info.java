/** What one relay at a time does for all of them. */
@NullMarked
package dev.postrider.internal.housekeeping;

import org.jspecify.annotations.NullMarked;
