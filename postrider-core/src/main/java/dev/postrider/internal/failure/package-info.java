/** Step 6 of 6: what happens to events that were not accepted. */
@NullMarked
package dev.postrider.internal.failure;

import org.jspecify.annotations.NullMarked;
