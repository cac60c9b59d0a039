/**
 * Settings for events that are not accepted: retries, the circuit, dead letters. {@code internal.failure} applies them.
 */
@NullMarked
package dev.postrider.failure;

import org.jspecify.annotations.NullMarked;
