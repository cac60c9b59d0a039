/**
 * What Kafka's records look like, whoever makes them: the relay's publisher and the transform for Debezium share it, so that
 * consumers cannot tell them apart.
 */
@NullMarked
package dev.postrider.internal.kafka;

import org.jspecify.annotations.NullMarked;
