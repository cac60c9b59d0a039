/**
 * {@code postrider doctor}: {@link dev.postrider.cli.doctor.Doctor} runs all checks, a {@link
 * dev.postrider.cli.doctor.check.Check} is one of them. The checks are in the packages below, by what they check: the
 * database server, the outbox's tables in it, the broker.
 */
@NullMarked
package dev.postrider.cli.doctor;

import org.jspecify.annotations.NullMarked;
