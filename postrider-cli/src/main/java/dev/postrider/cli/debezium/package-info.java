/** {@code postrider debezium}: an outbox that Debezium delivers. */
@NullMarked
package dev.postrider.cli.debezium;

import org.jspecify.annotations.NullMarked;
