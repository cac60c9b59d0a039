package dev.postrider.publish;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** What became of an event that was handed to a publisher. */
public sealed interface PublishResult {

    /** The destination has it, durably. */
    record Accepted() implements PublishResult {}

    /**
     * The destination's fault: it cannot take this or perhaps any event at the moment.
     *
     * @param errorClass one word for the kind of failure
     * @param retryAfter what the destination asks to wait before the next attempt; null if it says nothing
     * @param oneOfSeveral whether it says nothing of the publisher's other destinations, so that no outage is concluded from it
     */
    record Unavailable(
            String errorClass, String reason, @Nullable Duration retryAfter, boolean oneOfSeveral)
            implements PublishResult {
        public Unavailable(String errorClass, String reason, @Nullable Duration retryAfter) {
            this(errorClass, reason, retryAfter, false);
        }

        public Unavailable(String errorClass, String reason) {
            this(errorClass, reason, null);
        }

        public Unavailable(String reason) {
            this("unavailable", reason);
        }
    }

    /**
     * This event's fault.
     *
     * @param errorClass one word for the kind of failure
     * @param permanent no later attempt can end otherwise, for example because it is too large
     */
    record Rejected(String errorClass, String reason, boolean permanent) implements PublishResult {
        public Rejected(String reason, boolean permanent) {
            this("rejected", reason, permanent);
        }

        /**
         * What a publisher has thrown instead of answering, or completed its answer with.
         *
         * @param thrown null if there was neither a result nor an error
         */
        public static Rejected because(@Nullable Throwable thrown) {
            if (thrown instanceof CompletionException wrapper && wrapper.getCause() != null) {
                return because(wrapper.getCause());
            }
            if (thrown == null) {
                return new Rejected("no-result", "The publisher answered with nothing.", false);
            }
            if (thrown instanceof UnroutableEventException) {
                return new Rejected("unroutable", String.valueOf(thrown.getMessage()), true);
            }
            return thrown instanceof InvalidEventException invalid
                    ? invalid.result()
                    : new Rejected(thrown.getClass().getSimpleName(), thrown.toString(), false);
        }
    }

    /**
     * Nothing was sent: this destination takes nothing at the moment, while others may. It costs the event no retry and says
     * nothing of the others; the event waits until {@link Publisher#releasable} says that it may be tried.
     *
     * @param destination the name of what takes nothing: a topic, one of its partitions, an address without its secrets
     * @param errorClass one word for the kind of failure
     */
    record Blocked(String destination, String errorClass, String reason) implements PublishResult {}

    /**
     * Given up by the publisher because an earlier event failed. It may or may not have arrived; it is
     * to be sent again.
     */
    record Unresolved() implements PublishResult {}
}
