/**
 * What the examples have in common and what has nothing to do with Postrider: {@link dev.postrider.examples.Requirement}
 * on tests, and {@link dev.postrider.examples.Demo}, the program behind each example's {@code run}.
 */
@NullMarked
package dev.postrider.examples;

import org.jspecify.annotations.NullMarked;
