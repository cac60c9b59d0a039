/** What a log-mode outbox asks of a database; the seam is {@link dev.postrider.internal.store.log.LogStore}. */
@NullMarked
package dev.postrider.internal.store.log;

import org.jspecify.annotations.NullMarked;
