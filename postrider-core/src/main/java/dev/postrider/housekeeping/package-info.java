/**
 * Settings for old events: how long they are kept, and when they are deleted. {@code internal.housekeeping} applies
 * them.
 */
@NullMarked
package dev.postrider.housekeeping;

import org.jspecify.annotations.NullMarked;
