/**
 * MariaDB and MySQL; begin with {@link dev.postrider.internal.store.mysql.MySqlDatabase}. Whole statements, as on every
 * database.
 */
@NullMarked
package dev.postrider.internal.store.mysql;

import org.jspecify.annotations.NullMarked;
