/** Step 1 of 6: what the write side needs beyond the insert itself. */
@NullMarked
package dev.postrider.internal.write;

import org.jspecify.annotations.NullMarked;
