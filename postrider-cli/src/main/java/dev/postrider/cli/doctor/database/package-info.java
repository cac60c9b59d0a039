/**
 * Checks of the database server and of the way to it; {@link
 * dev.postrider.cli.doctor.database.DatabaseChecks} lists them.
 */
@NullMarked
package dev.postrider.cli.doctor.database;

import org.jspecify.annotations.NullMarked;
