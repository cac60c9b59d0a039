/**
 * Step 4 of 6: the loop that takes events from a source, hands them to a publisher in order per key,
 * and settles their outcomes.
 */
@NullMarked
package dev.postrider.internal.relay;

import org.jspecify.annotations.NullMarked;
