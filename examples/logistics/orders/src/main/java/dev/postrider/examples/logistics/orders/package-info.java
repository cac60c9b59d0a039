/**
 * What {@code service.js} does, in Java: {@link dev.postrider.examples.logistics.orders.JdbcOrders} stands in for it where
 * there is no Node.
 */
@NullMarked
package dev.postrider.examples.logistics.orders;

import org.jspecify.annotations.NullMarked;
