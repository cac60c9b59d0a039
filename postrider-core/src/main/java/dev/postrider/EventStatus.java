package dev.postrider;

/**
 * The state of an event. In claim mode its row contains it:
 *
 * <pre>
 * PENDING ──► SENDING ──► PUBLISHED
 *    ▲  │        │  └────► DEAD_LETTER
 *    │  ▼        ▼
 *   HELD      FAILED ──► SENDING (when its retry is due)
 *               BLOCKED ──► PENDING (when its destination takes events again)
 * </pre>
 *
 * <p>In log mode it follows from where the event is: ahead of the cursor it is PENDING, behind it PUBLISHED, parked it
 * is FAILED, HELD or BLOCKED.
 */
public enum EventStatus {
    /** Waits to be sent, at once or from its {@code next_attempt_at} on. */
    PENDING,
    /** Claimed by a relay, on its way to the broker. */
    SENDING,
    /** Acknowledged by the broker. */
    PUBLISHED,
    /** Rejected; waits for its next attempt and holds back the later events of its key. */
    FAILED,
    /** Waits behind an earlier event of its key that failed, takes long, or became due later than it did. */
    HELD,
    /**
     * Its destination, or that of an earlier event of its key, accepts nothing at the moment; sent as soon as it does.
     */
    BLOCKED,
    /** Given up; waits for a person. */
    DEAD_LETTER
}
