/**
 * Step 3 of 6, in log mode: reading an append-only table in windows between two snapshots. {@link
 * dev.postrider.internal.source.log.LogSource} is the source; a {@code Shard} is what it knows of one part of the log.
 */
@NullMarked
package dev.postrider.internal.source.log;

import org.jspecify.annotations.NullMarked;
