/**
 * Checks of the outbox's tables and of what is in them; {@link
 * dev.postrider.cli.doctor.outbox.OutboxChecks} lists them.
 */
@NullMarked
package dev.postrider.cli.doctor.outbox;

import org.jspecify.annotations.NullMarked;
