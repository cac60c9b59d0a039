/** Supports the flow: what one relay at a time does for all of them, under a lease. */
@NullMarked
package dev.postrider.internal.housekeeping;

import org.jspecify.annotations.NullMarked;
