/**
 * Takes orders over HTTP ({@link dev.postrider.examples.orders.OrderController}), keeps them ({@link
 * dev.postrider.examples.orders.Orders}), and writes an {@link dev.postrider.examples.orders.OrderEvent} for each change in
 * the same transaction. The relay sends these to Kafka; how, is in {@code application.yml}.
 */
@NullMarked
package dev.postrider.examples.orders;

import org.jspecify.annotations.NullMarked;
