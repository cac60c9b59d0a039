/**
 * PostgreSQL; begin with {@link dev.postrider.internal.store.postgres.PostgresDatabase}. Whole statements, every one of a mode
 * in one file.
 */
@NullMarked
package dev.postrider.internal.store.postgres;

import org.jspecify.annotations.NullMarked;
