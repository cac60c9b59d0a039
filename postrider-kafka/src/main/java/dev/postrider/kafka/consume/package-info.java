/**
 * The other side of the broker, for services without a framework that does this: {@link
 * dev.postrider.kafka.consume.KafkaEventConsumer} reads topics in batches, passes each event to a handler, retries
 * failed ones, and puts those that keep failing into {@code TOPIC.dlq}, always in order per key.
 *
 * <p>What to look at first: {@code ConsumerLoop} (the loop: poll, handle, commit) and {@code InHand} (order per key, and how
 * far a partition may be committed).
 */
@NullMarked
package dev.postrider.kafka.consume;

import org.jspecify.annotations.NullMarked;
