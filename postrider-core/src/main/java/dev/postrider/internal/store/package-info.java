/**
 * Step 2 of 6: what is asked of a database, as one seam, {@link dev.postrider.internal.store.OutboxStore},
 * and the values that cross it; beside it {@link dev.postrider.internal.store.AdminStore}, which is what operators
 * ask. The SQL is in {@code store.postgres} and {@code store.mysql}; {@code store.database} chooses between them.
 */
@NullMarked
package dev.postrider.internal.store;

import org.jspecify.annotations.NullMarked;
