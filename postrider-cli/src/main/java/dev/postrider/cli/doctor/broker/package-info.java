/**
 * Checks of Kafka and of the topics that the outbox's events go to; {@link
 * dev.postrider.cli.doctor.broker.BrokerChecks} lists them.
 */
@NullMarked
package dev.postrider.cli.doctor.broker;

import org.jspecify.annotations.NullMarked;
