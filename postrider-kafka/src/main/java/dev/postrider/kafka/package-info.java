/** Kafka as a destination: {@link dev.postrider.kafka.KafkaPublisher} and how an event becomes a record. */
@NullMarked
package dev.postrider.kafka;

import org.jspecify.annotations.NullMarked;
