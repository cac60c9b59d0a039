/**
 * The program behind {@code examples/orders/run}: {@link dev.postrider.examples.orders.demo.OrdersDemo} is the script, the
 * other classes are who acts in it.
 */
@NullMarked
package dev.postrider.examples.orders.demo;

import org.jspecify.annotations.NullMarked;
