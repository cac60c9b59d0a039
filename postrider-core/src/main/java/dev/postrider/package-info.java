/**
 * What users of Postrider name: {@link dev.postrider.Outbox} to write events,
 * {@link dev.postrider.Relay} to deliver them, and the values both speak of.
 *
 * <p>The packages below follow an event on its way: {@code write} → {@code store} →
 * {@code source} → {@code relay} → {@code publish} → {@code failure}; beside the way stand
 * {@code lease}, {@code housekeeping}, {@code alert} and {@code metrics}.
 */
@NullMarked
package dev.postrider;

import org.jspecify.annotations.NullMarked;
