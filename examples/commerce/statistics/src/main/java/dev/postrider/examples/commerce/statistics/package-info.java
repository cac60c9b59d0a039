/**
 * Counts what happens to products. {@link dev.postrider.examples.commerce.statistics.ProductEvents} listens to the topics, {@link
 * dev.postrider.examples.commerce.statistics.Counting} sees to it that everything counts once, and {@link
 * dev.postrider.examples.commerce.statistics.ProductStatistics} keeps the numbers.
 */
@NullMarked
package dev.postrider.examples.commerce.statistics;

import org.jspecify.annotations.NullMarked;
