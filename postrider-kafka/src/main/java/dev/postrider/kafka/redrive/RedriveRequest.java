package dev.postrider.kafka.redrive;

import dev.postrider.PostriderException;
import org.jspecify.annotations.Nullable;

/**
 * What is to be sent, and where.
 *
 * @param deadLetterTopic where the records are
 * @param filter which of them
 * @param to the topic they are sent to; null for each to the topic it came from
 * @param again whether to forget what was sent from this dead letter topic before; otherwise no record is sent to a topic
 *     that it was sent to before
 * @param limit how many records to send at most
 */
public record RedriveRequest(
        String deadLetterTopic,
        RedriveFilter filter,
        @Nullable String to,
        boolean again,
        long limit) {

    /**
     * @throws PostriderException if the limit is not positive, or the records would go to the dead letter topic
     */
    public RedriveRequest {
        if (limit < 1) {
            throw new PostriderException("The limit is " + limit + "; it must be at least 1.");
        }
        if (deadLetterTopic.equals(to)) {
            throw new PostriderException("The records are in " + to + " already; they cannot be sent there.");
        }
    }

    /** Everything that was not sent before, each record to the topic it came from. */
    public static RedriveRequest all(String deadLetterTopic) {
        return new RedriveRequest(deadLetterTopic, RedriveFilter.everything(), null, false, Long.MAX_VALUE);
    }

    /** Where a letter goes; null if nobody knows. */
    @Nullable
    String destination(DeadLetter letter) {
        if (to != null) {
            return to;
        }
        String topic = letter.topic();
        // Sent to where it is, it would be read again for ever.
        return topic == null || topic.equals(deadLetterTopic) ? null : topic;
    }
}
