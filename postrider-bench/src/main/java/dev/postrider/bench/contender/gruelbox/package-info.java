/** gruelbox transaction-outbox: the peer that sends from the writer's process after each commit. */
@NullMarked
package dev.postrider.bench.contender.gruelbox;

import org.jspecify.annotations.NullMarked;
