/** Step 6 of 6: what happens to an event that was not accepted. */
@NullMarked
package dev.postrider.failure;

import org.jspecify.annotations.NullMarked;
