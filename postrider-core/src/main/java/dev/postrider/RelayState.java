package dev.postrider;

import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of a relay at one moment.
 *
 * @param phase what it is doing
 * @param since how long it has been in this phase
 * @param reason why it waits, restarts or sends nothing; null while there is nothing wrong
 * @param owner the name under which it holds its lease; null while it holds none
 * @param shards the shards it reads; none in claim mode, where there are no shards
 * @param circuit of its destination: closed, open, or half-open
 * @param sinceLastStep how long ago its loop made its last step; null while it has no loop
 * @param noAnswerFor how long the destination has not answered an event, if that is longer than {@link
 *     dev.postrider.settings.Timeouts#noAnswer}; null if it is not
 * @param waking what wakes it beside polling; null while nothing could
 */
public record RelayState(
        Phase phase,
        Duration since,
        @Nullable String reason,
        @Nullable String owner,
        Set<Integer> shards,
        String circuit,
        @Nullable Duration sinceLastStep,
        @Nullable Duration noAnswerFor,
        @Nullable Waking waking) {

    public RelayState {
        shards = Set.copyOf(shards);
    }

    /** Of one that nothing could wake. */
    public RelayState(
            Phase phase,
            Duration since,
            @Nullable String reason,
            @Nullable String owner,
            Set<Integer> shards,
            String circuit,
            @Nullable Duration sinceLastStep,
            @Nullable Duration noAnswerFor) {
        this(phase, since, reason, owner, shards, circuit, sinceLastStep, noAnswerFor, null);
    }

    /**
     * What wakes a relay when another process has committed events.
     *
     * @param inForce what does so now: not {@link WakeUp#AUTO}
     * @param lacking why that is not {@link WakeUp#WAL} although it was asked for; null if it was not, or it is
     */
    public record Waking(WakeUp inForce, @Nullable String lacking) {}

    /** What a relay can be doing. */
    public enum Phase {
        /** It has not been started. */
        NEW,
        /** Its database cannot be reached; it starts as soon as the database answers. */
        WAITING,
        /** It delivers, or would if there were something to deliver. */
        RUNNING,
        /** An operator has paused the outbox: it keeps its lease and sends nothing. */
        PAUSED,
        /**
         * Its loop has made no step for so long that other relays take its lease. It continues by itself if the loop
         * does.
         */
        STUCK,
        /** It broke, has released everything, and restarts after a pause. */
        RESTARTING,
        /** It was stopped, and does nothing more. */
        STOPPED
    }
}
