package dev.postrider.internal.store;

import java.time.Duration;

/** How the sending of one claimed event ended, to be recorded in its row. */
public sealed interface Settlement {
    int LONGEST_CLASS = 255;
    int LONGEST_ERROR = 10_000;

    RowClaim claim();

    /** What went wrong; empty if nothing did. */
    default String error() {
        return "";
    }

    /** Whether the event fits into the relay's memory. */
    default boolean mayBeFetched() {
        return !(this instanceof Dead dead && dead.errorClass().equals(Dead.TOO_LARGE));
    }

    /** The broker has it. */
    record Published(RowClaim claim) implements Settlement {}

    /**
     * It waits {@code delay}, counted by the database's clock, for its next attempt.
     *
     * @param counted whether this attempt counts against its retries
     */
    record Failed(RowClaim claim, String error, Duration delay, boolean counted) implements Settlement {
        public Failed {
            error = storable(error, LONGEST_ERROR);
        }
    }

    /**
     * It waits until its destination takes events again. Not an attempt: nothing was sent.
     *
     * @param destination what takes nothing, see {@code PublishResult.Blocked}
     */
    record Blocked(RowClaim claim, String destination, String error) implements Settlement {
        public Blocked {
            destination = storable(destination, LONGEST_CLASS);
            error = storable(error, LONGEST_ERROR);
        }
    }

    /**
     * It is given up.
     *
     * @param errorClass one word by which such dead letters can be found
     */
    record Dead(RowClaim claim, String errorClass, String error) implements Settlement {
        /** The error class of rows that were changed after they were written. */
        public static final String INTEGRITY = "integrity";

        /** The error class of events that were not fetched because of their size. */
        public static final String TOO_LARGE = "too-large";

        /** The error class of rows that cannot be read. */
        public static final String UNREADABLE = "unreadable";

        /** The error class of rows that the database does not let relays handle. */
        public static final String DATABASE = "database-error";

        public Dead {
            errorClass = storable(errorClass, LONGEST_CLASS);
            error = storable(error, LONGEST_ERROR);
        }

        /**
         * @param bytes it has at least so many
         * @param limit a relay fetches at most so many
         */
        public static Dead tooLarge(RowClaim claim, long bytes, long limit) {
            return new Dead(
                    claim,
                    TOO_LARGE,
                    "The event was not fetched: with its headers it has at least " + bytes
                            + " bytes, and the relay's max-event-bytes is " + limit
                            + ". Raise that limit, then send it again.");
        }
    }

    /** Nothing is known to have happened to it: it is as due as it was before the claim. */
    record Returned(RowClaim claim) implements Settlement {}

    /** Other people's messages may hold what no database takes as text, or be endless; recording must not fail for that. */
    private static String storable(String text, int longest) {
        return text.substring(0, Math.min(text.length(), longest)).replace('\0', ' ');
    }
}
