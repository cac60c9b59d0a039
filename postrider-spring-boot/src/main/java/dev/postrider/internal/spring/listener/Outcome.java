package dev.postrider.internal.spring.listener;

import java.time.Duration;

/** How a call of a listener's method went. */
sealed interface Outcome {

    record Handled() implements Outcome {}

    /**
     * The record's fault, as far as anybody can tell.
     *
     * @param unreadable whether the method was not called, and never will be
     */
    record Failed(Throwable error, boolean unreadable) implements Outcome {}

    /** What the method needs is down: it says nothing of the record. */
    record Outage(Throwable error) implements Outcome {}

    /** The method wants it later. */
    record NotNow(Duration later) implements Outcome {}
}
