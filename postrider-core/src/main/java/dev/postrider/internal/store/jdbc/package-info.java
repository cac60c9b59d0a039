/** The SQL: whole statements, one place per database, and the tables' migrations. */
@NullMarked
package dev.postrider.internal.store.jdbc;

import org.jspecify.annotations.NullMarked;
