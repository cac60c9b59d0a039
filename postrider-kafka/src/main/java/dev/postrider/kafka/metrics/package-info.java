/** Supports the flow: a consumer's meters, for those who have Micrometer. */
@NullMarked
package dev.postrider.kafka.metrics;

import org.jspecify.annotations.NullMarked;
