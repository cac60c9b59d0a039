/**
 * Step 5 of 6: handing an event to a destination. {@link dev.postrider.publish.Publisher} is the
 * seam; Kafka's is in the module {@code postrider-kafka}, webhooks are in the package {@code webhook}.
 */
@NullMarked
package dev.postrider.publish;

import org.jspecify.annotations.NullMarked;
