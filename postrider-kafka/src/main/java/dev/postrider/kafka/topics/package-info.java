/**
 * Creates topics: {@link dev.postrider.kafka.topics.TopicProvisioning} compares {@link
 * dev.postrider.kafka.topics.WantedTopic}s with the existing topics, and applies the differences. It deletes nothing.
 */
@NullMarked
package dev.postrider.kafka.topics;

import org.jspecify.annotations.NullMarked;
