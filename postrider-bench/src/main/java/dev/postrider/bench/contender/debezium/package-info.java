/** Debezium's embedded engine with its outbox event router: the peer that reads the write-ahead log. */
@NullMarked
package dev.postrider.bench.contender.debezium;

import org.jspecify.annotations.NullMarked;
