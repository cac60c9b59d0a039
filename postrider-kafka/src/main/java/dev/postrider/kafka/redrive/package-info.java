/**
 * Sends records of a dead letter topic back to the topics they came from: {@link dev.postrider.kafka.redrive.Redrive}, for
 * operators.
 */
@NullMarked
package dev.postrider.kafka.redrive;

import org.jspecify.annotations.NullMarked;
