/**
 * Makes topics as they are wanted: {@link dev.postrider.kafka.topics.TopicProvisioning} compares {@link
 * dev.postrider.kafka.topics.WantedTopic}s with what is there, and does what is missing. It deletes nothing.
 */
@NullMarked
package dev.postrider.kafka.topics;

import org.jspecify.annotations.NullMarked;
