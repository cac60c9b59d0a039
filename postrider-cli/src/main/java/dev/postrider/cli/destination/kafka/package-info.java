/** Kafka as a destination. Its checks for the doctor are in {@code dev.postrider.cli.doctor.broker}. */
@NullMarked
package dev.postrider.cli.destination.kafka;

import org.jspecify.annotations.NullMarked;
