package dev.postrider.cli.doctor;

import dev.postrider.cli.doctor.check.Limits;
import java.time.Duration;

/** Limits that need no waiting. */
final class OtherLimits {
    private static final Limits STANDARD = Limits.STANDARD;

    /** Every transaction is a long one, and a replication slot may hold nothing. */
    static final Limits IMPATIENT = new Limits(
            Duration.ZERO,
            Duration.ZERO,
            STANDARD.oldestUnsent(),
            STANDARD.clockSkew(),
            STANDARD.deadRows(),
            -1,
            STANDARD.freeConnections());

    /** Every transaction is worth a word. */
    static final Limits ATTENTIVE = new Limits(
            Duration.ZERO,
            STANDARD.longTransaction(),
            STANDARD.oldestUnsent(),
            STANDARD.clockSkew(),
            STANDARD.deadRows(),
            STANDARD.slotWal(),
            STANDARD.freeConnections());

    /** No two clocks agree. */
    static final Limits PEDANTIC = new Limits(
            STANDARD.noticeableTransaction(),
            STANDARD.longTransaction(),
            STANDARD.oldestUnsent(),
            Duration.ofNanos(-1),
            STANDARD.deadRows(),
            STANDARD.slotWal(),
            STANDARD.freeConnections());

    /** One dead row is too many. */
    static final Limits TIDY = new Limits(
            STANDARD.noticeableTransaction(),
            STANDARD.longTransaction(),
            STANDARD.oldestUnsent(),
            STANDARD.clockSkew(),
            0,
            STANDARD.slotWal(),
            STANDARD.freeConnections());

    /** No server has connections enough. */
    static final Limits GREEDY = new Limits(
            STANDARD.noticeableTransaction(),
            STANDARD.longTransaction(),
            STANDARD.oldestUnsent(),
            STANDARD.clockSkew(),
            STANDARD.deadRows(),
            STANDARD.slotWal(),
            Long.MAX_VALUE);

    private OtherLimits() {}
}
