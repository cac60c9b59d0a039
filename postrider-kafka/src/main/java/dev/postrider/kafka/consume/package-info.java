/**
 * The other side of the broker, for services without a framework that does it: {@link
 * dev.postrider.kafka.consume.KafkaEventConsumer} reads topics in batches, hands each event to a handler, retries what
 * fails, and puts what keeps failing into {@code TOPIC.dlq}. Order per key holds through all of that.
 *
 * <p>What to look at first: {@code ConsumerLoop} (the loop: poll, handle, commit) and {@code InHand} (order per key, and how
 * far a partition may be committed).
 */
@NullMarked
package dev.postrider.kafka.consume;

import org.jspecify.annotations.NullMarked;
