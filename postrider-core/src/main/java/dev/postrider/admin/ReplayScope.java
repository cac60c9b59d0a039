package dev.postrider.admin;

import dev.postrider.PostriderException;
import java.time.Instant;

/** Which published events are sent once more. */
public sealed interface ReplayScope {

    /** In words, for prompts and for the audit table. */
    String inWords();

    /** The history of one aggregate. */
    record OfAggregate(String type, String id) implements ReplayScope {
        @Override
        public String inWords() {
            return "aggregate " + type + "/" + id;
        }
    }

    /**
     * Events by the time they were written to the outbox, {@code created_at}: not by the time they were
     * published, which after an outage is later.
     *
     * @param from at this time of the database's clock or later
     * @param to before this time
     */
    record WrittenBetween(Instant from, Instant to) implements ReplayScope {
        public WrittenBetween {
            if (!from.isBefore(to)) {
                throw new PostriderException("Nothing was written from " + from + " on and before " + to
                        + ": the first of these times must be the earlier one.");
            }
        }

        @Override
        public String inWords() {
            return "written from " + from + " on and before " + to;
        }
    }
}
