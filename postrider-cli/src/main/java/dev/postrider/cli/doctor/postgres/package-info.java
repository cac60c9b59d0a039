/**
 * The doctor on PostgreSQL: checks of the server and of the way to it, listed by {@link
 * dev.postrider.cli.doctor.postgres.PostgresDoctor}.
 */
@NullMarked
package dev.postrider.cli.doctor.postgres;

import org.jspecify.annotations.NullMarked;
