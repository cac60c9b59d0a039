/**
 * For tests of those who use Postrider: an outbox in memory that behaves like one in a database, a publisher that
 * remembers, a relay that moves when it is told to, a clock that can be set.
 *
 * <p>It keeps the same contracts as the outboxes in databases, but what it holds is gone with the process.
 */
@NullMarked
package dev.postrider.testing;

import org.jspecify.annotations.NullMarked;
