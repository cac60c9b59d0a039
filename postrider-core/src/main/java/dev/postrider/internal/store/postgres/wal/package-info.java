/**
 * The bell: relays are woken by PostgreSQL's replication stream. Begin with {@link
 * dev.postrider.internal.store.postgres.wal.PostgresBell}.
 */
@NullMarked
package dev.postrider.internal.store.postgres.wal;

import org.jspecify.annotations.NullMarked;
