package dev.postrider.publish;

import dev.postrider.OutboxEvent;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a line per event to the log, at INFO, and accepts it: to try an outbox out, or if you need no more. It is as
 * durable as the log is.
 */
public final class Slf4jPublisher implements Publisher {
    private static final Logger log = LoggerFactory.getLogger(Slf4jPublisher.class);

    private final boolean withPayload;
    private volatile boolean stopped;
    private volatile boolean closed;

    private Slf4jPublisher(boolean withPayload) {
        this.withPayload = withPayload;
    }

    /** Type, key, id and size. */
    public static Slf4jPublisher withoutPayloads() {
        return new Slf4jPublisher(false);
    }

    /** Includes the payload: consider who can read the log. Payloads that are not JSON are left out. */
    public static Slf4jPublisher withPayloads() {
        return new Slf4jPublisher(true);
    }

    @Override
    public String destination(OutboxEvent event) {
        return "log";
    }

    @Override
    public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
        if (stopped || closed) {
            return CompletableFuture.completedFuture(new PublishResult.Unresolved());
        }
        log.info(
                "event {} of type {}, key {}, {}{}",
                event.id(),
                oneLine(event.type()),
                oneLine(event.messageKey()),
                event.payload().bytes().length + " bytes",
                withPayload && event.payload().isJson()
                        ? ": " + oneLine(event.payload().text())
                        : "");
        return CompletableFuture.completedFuture(new PublishResult.Accepted());
    }

    /** Writers choose these words; they must not be able to write lines of their own. */
    private static String oneLine(String text) {
        return text.replaceAll("\\p{Cntrl}", " ");
    }

    @Override
    public boolean mayFollowInFlight(OutboxEvent event, String destination) {
        // Nothing ever is in flight, and nothing fails.
        return true;
    }

    @Override
    public void halt() {
        stopped = true;
    }

    @Override
    public void resume() {
        stopped = false;
    }

    @Override
    public void close() {
        closed = true;
    }
}
