/**
 * Debezium in the place of the relay: {@link dev.postrider.connect.OutboxTransform} makes of each inserted row the record that
 * a relay would send.
 */
@NullMarked
package dev.postrider.connect;

import org.jspecify.annotations.NullMarked;
