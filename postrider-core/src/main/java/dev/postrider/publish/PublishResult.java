package dev.postrider.publish;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** A publisher's answer for an event. */
public sealed interface PublishResult {

    /** The destination has it, durably. */
    record Accepted() implements PublishResult {}

    /**
     * The destination is at fault: it cannot accept this or perhaps any event at the moment.
     *
     * @param errorClass one word for the kind of failure
     * @param retryAfter how long the destination asks to wait before the next attempt; null if it does not ask
     * @param oneOfSeveral whether it says nothing about the publisher's other destinations, so that it does not count
     *     as an outage
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
     * The event is at fault.
     *
     * @param errorClass one word for the kind of failure
     * @param permanent no later attempt can succeed, for example because the event is too large
     */
    record Rejected(String errorClass, String reason, boolean permanent) implements PublishResult {
        public Rejected(String reason, boolean permanent) {
            this("rejected", reason, permanent);
        }

        /**
         * For an exception that a publisher threw instead of answering, or completed its answer with.
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
     * Nothing was sent: this destination accepts nothing at the moment, while others may. It costs the event no retry
     * and says nothing about other destinations; the event waits until {@link Publisher#releasable} says that it may be
     * tried.
     *
     * @param destination the name of what accepts nothing: a topic, one of its partitions, an address without its
     *     secrets
     * @param errorClass one word for the kind of failure
     */
    record Blocked(String destination, String errorClass, String reason) implements PublishResult {}

    /**
     * Given up by the publisher because an earlier event failed. It may or may not have arrived; the relay sends it
     * again.
     */
    record Unresolved() implements PublishResult {}
}
