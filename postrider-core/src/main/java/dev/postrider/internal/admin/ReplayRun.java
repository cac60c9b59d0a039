package dev.postrider.internal.admin;

import dev.postrider.OutboxEvent;
import dev.postrider.admin.ReplayRequest;
import dev.postrider.admin.ReplayStoppedException;
import dev.postrider.internal.store.AdminStore.PublishedEvent;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.UnroutableEventException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Hands published events to a publisher once more, window by window: a window is sent when every event of
 * the one before it is accepted. Within it a key's events follow each other as the publisher allows. At
 * the first one that is not accepted everything stops.
 */
public final class ReplayRun {
    private final Publisher publisher;
    private final @Nullable String destination;
    private final String time;

    /** What is with the publisher, in the order of ids, and where the last of each key goes. */
    private final List<Sending> window = new ArrayList<>();

    private final Map<Long, String> destinationsByKey = new HashMap<>();

    private long sent;
    private long lastId;

    public ReplayRun(ReplayRequest request, Publisher publisher, Instant time) {
        this.publisher = publisher;
        this.destination = request.destination();
        this.lastId = request.afterId();
        this.time = time.toString();
    }

    private record Sending(long id, CompletableFuture<PublishResult> answer) {
        boolean isRefusedAlready() {
            return answer.isDone() && !(result() instanceof PublishResult.Accepted);
        }

        PublishResult result() {
            try {
                return answer.join();
            } catch (CompletionException e) {
                return PublishResult.Rejected.because(e);
            }
        }
    }

    public long sent() {
        return sent;
    }

    /** Everything up to this id was accepted. */
    public long lastId() {
        return lastId;
    }

    /** Returns when every event of the page is accepted. */
    public void send(List<PublishedEvent> page) {
        for (PublishedEvent next : page) {
            OutboxEvent event = marked(next.event());
            String where = destinationOf(next.id(), event);
            String before = destinationsByKey.get(next.keyHash());
            if (before != null && !(before.equals(where) && publisher.mayFollowInFlight(event, where))) {
                awaitAnswers();
            }
            Sending sending = new Sending(next.id(), publish(event, where));
            window.add(sending);
            destinationsByKey.put(next.keyHash(), where);
            if (sending.isRefusedAlready()) {
                // Nothing later of its key may be accepted.
                break;
            }
        }
        awaitAnswers();
    }

    private String destinationOf(long id, OutboxEvent event) {
        if (destination != null) {
            return destination;
        }
        try {
            return publisher.destination(event);
        } catch (UnroutableEventException e) {
            awaitAnswers();
            throw stopped("Row " + id + " was not sent: " + e.getMessage(), e);
        }
    }

    private CompletableFuture<PublishResult> publish(OutboxEvent event, String where) {
        try {
            return publisher.publish(event, where).toCompletableFuture();
        } catch (RuntimeException e) {
            return CompletableFuture.completedFuture(PublishResult.Rejected.because(e));
        }
    }

    private void awaitAnswers() {
        long failedId = 0;
        String reason = "";
        for (Sending sending : window) {
            PublishResult result = sending.result();
            if (result instanceof PublishResult.Accepted) {
                sent++;
                lastId = failedId == 0 ? sending.id() : lastId;
                continue;
            }
            if (failedId == 0) {
                failedId = sending.id();
                publisher.halt();
            }
            reason = reason.isEmpty() ? reasonOf(result) : reason;
        }
        window.clear();
        destinationsByKey.clear();
        if (failedId != 0) {
            String why = reason.isEmpty() ? "it is not known whether it arrived" : reason;
            throw stopped("Row " + failedId + " was not accepted: " + why, null);
        }
    }

    /** What is unresolved says nothing; the reason stands with the event that failed first. */
    private static String reasonOf(PublishResult result) {
        if (result instanceof PublishResult.Rejected rejected) {
            return rejected.reason();
        }
        return result instanceof PublishResult.Unavailable unavailable ? unavailable.reason() : "";
    }

    public ReplayStoppedException stopped(String why, @Nullable Throwable cause) {
        String sentence = why.endsWith(".") ? why : why + ".";
        return new ReplayStoppedException(
                "The replay has stopped after " + sent + " events. " + sentence + " Continue with --after-id " + lastId
                        + ", or with the id of a row to leave that one out.",
                sent,
                lastId,
                cause);
    }

    private OutboxEvent marked(OutboxEvent event) {
        Map<String, String> headers = new HashMap<>(event.headers());
        headers.put(ReplayRequest.HEADER, time);
        return new OutboxEvent(
                event.id(),
                event.type(),
                event.aggregateType(),
                event.aggregateId(),
                event.payload(),
                event.key(),
                event.source(),
                headers,
                event.occurredAt(),
                event.requestId(),
                event.deliverAfter(),
                event.maxRetries());
    }
}
