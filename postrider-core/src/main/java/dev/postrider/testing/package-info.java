/**
 * For your own tests: an in-memory outbox that behaves like one in a database, a publisher that records events, a relay
 * that your test drives, a clock that your test sets.
 *
 * <p>The in-memory outbox fulfils the same contracts as the outboxes in databases, but its content is lost when the
 * process ends.
 */
@NullMarked
package dev.postrider.testing;

import org.jspecify.annotations.NullMarked;
