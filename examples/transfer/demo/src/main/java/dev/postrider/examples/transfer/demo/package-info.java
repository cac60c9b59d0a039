/**
 * The program behind {@code examples/transfer/run}: {@link dev.postrider.examples.transfer.demo.TransferDemo} is the
 * script, the other classes are who acts in it.
 */
@NullMarked
package dev.postrider.examples.transfer.demo;

import org.jspecify.annotations.NullMarked;
