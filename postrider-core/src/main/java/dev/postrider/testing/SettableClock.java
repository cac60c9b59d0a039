package dev.postrider.testing;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

/** A clock that stands still until it is moved. Any thread. */
public final class SettableClock extends Clock {
    private final ZoneId zone;
    private volatile Instant time;

    /** Set to the current time, with the microsecond precision of databases. */
    public SettableClock() {
        this(Instant.now().truncatedTo(ChronoUnit.MICROS));
    }

    public SettableClock(Instant time) {
        this(time, ZoneOffset.UTC);
    }

    private SettableClock(Instant time, ZoneId zone) {
        this.time = time;
        this.zone = zone;
    }

    public synchronized void advance(Duration by) {
        time = time.plus(by);
    }

    public synchronized void set(Instant newTime) {
        time = newTime;
    }

    @Override
    public Instant instant() {
        return time;
    }

    @Override
    public ZoneId getZone() {
        return zone;
    }

    /** A clock set to the same time, which is moved independently. */
    @Override
    public Clock withZone(ZoneId other) {
        return new SettableClock(time, other);
    }
}
