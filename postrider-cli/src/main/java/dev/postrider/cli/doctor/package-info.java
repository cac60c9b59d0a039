/**
 * {@code postrider doctor}: {@link dev.postrider.cli.doctor.Doctor} is the round, a {@link
 * dev.postrider.cli.doctor.check.Check} is one thing to look at. The checks stand in the packages below, by
 * what they look at: the database server, the outbox's tables in it, the broker.
 */
@NullMarked
package dev.postrider.cli.doctor;

import org.jspecify.annotations.NullMarked;
