/** What users decide about events that are not accepted: retries, the circuit, dead letters. {@code internal.failure} acts on it. */
@NullMarked
package dev.postrider.failure;

import org.jspecify.annotations.NullMarked;
