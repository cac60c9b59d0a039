/** How commands reach Kafka. */
@NullMarked
package dev.postrider.cli.kafka;

import org.jspecify.annotations.NullMarked;
