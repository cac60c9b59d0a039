/**
 * The program behind {@code examples/logistics/run}: {@link dev.postrider.examples.logistics.demo.LogisticsDemo} is the
 * script, the other classes are who acts in it.
 */
@NullMarked
package dev.postrider.examples.logistics.demo;

import org.jspecify.annotations.NullMarked;
