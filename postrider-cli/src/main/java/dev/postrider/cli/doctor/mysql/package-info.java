/**
 * The doctor on MariaDB and MySQL: what is asked of the server and of its catalogue in other words than on PostgreSQL.
 */
@NullMarked
package dev.postrider.cli.doctor.mysql;

import org.jspecify.annotations.NullMarked;
