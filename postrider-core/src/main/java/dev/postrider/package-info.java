/**
 * The public API of Postrider: {@link dev.postrider.Outbox} to write events, {@link dev.postrider.Relay} to deliver
 * them, and the values that both use.
 *
 * <p>The packages of {@code dev.postrider.internal} follow the path of an event: {@code write} → {@code store} → {@code
 * source} → {@code relay} → {@code publish}, which is public → {@code failure}; {@code lease}, {@code housekeeping} and
 * {@code alert} support them.
 */
@NullMarked
package dev.postrider;

import org.jspecify.annotations.NullMarked;
