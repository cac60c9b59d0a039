/** What users decide about old events: how long they are kept, and when they are deleted. {@code internal.housekeeping} does it. */
@NullMarked
package dev.postrider.housekeeping;

import org.jspecify.annotations.NullMarked;
