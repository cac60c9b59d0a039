/**
 * Plays the shop: {@link dev.postrider.examples.commerce.demo.Customers} look, like and buy, brokers are killed, and {@link
 * dev.postrider.examples.commerce.demo.Books} tells whether everything was counted once.
 */
@NullMarked
package dev.postrider.examples.commerce.demo;

import org.jspecify.annotations.NullMarked;
