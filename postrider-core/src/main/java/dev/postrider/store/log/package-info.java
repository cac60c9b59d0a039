/** What a log-mode outbox asks of a database; the seam is {@link dev.postrider.store.log.LogStore}. */
@NullMarked
package dev.postrider.store.log;

import org.jspecify.annotations.NullMarked;
