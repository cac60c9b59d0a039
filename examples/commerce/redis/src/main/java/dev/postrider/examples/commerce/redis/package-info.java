/** A real Redis, as {@code postrider-devservices} has PostgreSQL and Kafka. */
@NullMarked
package dev.postrider.examples.commerce.redis;

import org.jspecify.annotations.NullMarked;
