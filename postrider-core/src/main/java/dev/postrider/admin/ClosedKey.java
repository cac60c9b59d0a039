package dev.postrider.admin;

/**
 * A key whose later events wait, and the event that they wait behind.
 *
 * @param key of the events; their aggregate, as {@code order/42}, if they have none of their own
 * @param behindId row in the outbox of the event that they wait behind
 * @param type of that event
 * @param state why they wait
 * @param attempts how often that event was tried
 * @param reason its last failure, for people
 */
public record ClosedKey(String key, long behindId, String type, State state, int attempts, String reason) {

    /** What has happened to the event. */
    public enum State {
        /** It has failed, and waits for its retry. */
        WAITS_FOR_RETRY,
        /** It was given up, and keeps its key closed until an operator sends it again or discards it. */
        DEAD_LETTER
    }
}
