package dev.postrider.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.postrider.OutboxEvent;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.UnroutableEventException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a relay relies on with every {@link Publisher}. Extend it, say how to create a publisher and what has arrived at
 * its destination, and run it like any test; override the methods that return an {@link Optional} to run more tests.
 *
 * <p>The contract hands over events as a relay does: one of a key at a time, unless the publisher says that the next
 * may follow. Payloads are JSON strings that begin with the key.
 */
public abstract class PublisherContract {
    private static final int LARGE = 512 * 1024;

    private final List<Thread> others = new ArrayList<>();
    private Publisher publisher = new NoPublisher();

    /** A new publisher, whose destination accepts events. The contract closes it. Called once for each test. */
    protected abstract Publisher publisher() throws Exception;

    /** The payloads that have arrived at the destination in this test, as text, the first one first. */
    protected abstract List<String> arrived() throws Exception;

    /** An event that the destination accepts. */
    protected OutboxEvent event(String key, String payload) {
        return OutboxEvent.builder("acme.order.created.v1")
                .aggregate("order", key)
                .json(payload)
                .build();
    }

    /** An event of this key that the destination rejects. Default: it accepts everything. */
    protected Optional<OutboxEvent> refused(String key) {
        return Optional.empty();
    }

    /** An event of this key that is not answered for a minute or more. Default: everything is answered quickly. */
    protected Optional<OutboxEvent> unanswered(String key) {
        return Optional.empty();
    }

    /** An event that has no destination. Default: every event has one. */
    protected Optional<OutboxEvent> unroutable() {
        return Optional.empty();
    }

    /** How long an answer may take. Default: a minute. */
    protected Duration patience() {
        return Duration.ofMinutes(1);
    }

    @BeforeEach
    public void makePublisher() throws Exception {
        publisher = publisher();
    }

    @AfterEach
    public void closePublisher() throws InterruptedException {
        publisher.close();
        for (Thread other : others) {
            other.join(patience().toMillis());
        }
    }

    @Test
    public void eachEventIsAcceptedAndArrivesOnce() throws Exception {
        List<CompletableFuture<PublishResult>> results = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int key = 1; key <= 20; key++) {
            expected.add(payload("key-" + key, 1));
            results.add(publish(event("key-" + key, payload("key-" + key, 1))).toCompletableFuture());
        }
        publisher.flush();

        for (CompletableFuture<PublishResult> result : results) {
            assertEquals(new PublishResult.Accepted(), await(result));
        }
        assertEquals(
                expected.stream().sorted().toList(), arrived().stream().sorted().toList(), "what has arrived");
    }

    @Test
    public void eventsOfAKeyArriveInOrder() throws Exception {
        List<PublishResult> results = send(IntStream.rangeClosed(1, 20)
                .mapToObj(n -> event("a", payload("a", n)))
                .toList());

        results.forEach(result -> assertEquals(new PublishResult.Accepted(), result));
        assertEquals(payloads("a", 1, 20), arrived("a"));
    }

    @Test
    public void onceAnEventOfAKeyHasFailedNothingLaterOfItIsAccepted() throws Exception {
        OutboxEvent bad = refused("a").orElse(null);
        assumeTrue(bad != null, "the destination takes everything");
        List<OutboxEvent> later = IntStream.rangeClosed(4, 8)
                .mapToObj(n -> event("a", payload("a", n)))
                .toList();
        send(IntStream.rangeClosed(1, 3)
                        .mapToObj(n -> event("a", payload("a", n)))
                        .toList())
                .forEach(result -> assertEquals(new PublishResult.Accepted(), result));

        List<OutboxEvent> failing = new ArrayList<>(List.of(bad));
        failing.addAll(later);
        send(failing)
                .forEach(result -> assertTrue(
                        !(result instanceof PublishResult.Accepted), "accepted although an earlier one has failed"));
        assertEquals(payloads("a", 1, 3), arrived("a"), "what has arrived while the failed one is in the way");

        publisher.resume();
        send(later).forEach(result -> assertEquals(new PublishResult.Accepted(), result));
        assertEquals(payloads("a", 1, 8), arrived("a"), "what has arrived once the failed one was given up");
    }

    @Test
    public void failureOfAKeyMeansNothingForOthersUnlessThePublisherStopsAtIt() throws Exception {
        OutboxEvent bad = refused("a").orElse(null);
        assumeTrue(bad != null, "the destination takes everything");
        assumeTrue(!publisher.stopsAtFailure(), "a failure stops everything");

        CompletableFuture<PublishResult> failing = publish(bad).toCompletableFuture();
        CompletableFuture<PublishResult> other =
                publish(event("b", payload("b", 1))).toCompletableFuture();
        publisher.flush();

        assertTrue(!(await(failing) instanceof PublishResult.Accepted), "the refused event is accepted");
        assertEquals(new PublishResult.Accepted(), await(other));
        assertEquals(payloads("b", 1, 1), arrived("b"));
    }

    @Test
    public void betweenHaltAndResumeNothingIsTaken() throws Exception {
        assumeTrue(overrides("halt"), "the relay does it for this publisher");
        elsewhere(publisher::halt);

        CompletableFuture<PublishResult> halted =
                publish(event("a", payload("a", 1))).toCompletableFuture();
        assertTrue(halted.isDone(), "not answered at once");
        assertEquals(new PublishResult.Unresolved(), halted.join());
        assertEquals(List.of(), arrived("a"));

        publisher.resume();
        assertEquals(List.of(new PublishResult.Accepted()), send(List.of(event("a", payload("a", 1)))));
        elsewhere(publisher::halt);
        assertEquals(
                new PublishResult.Unresolved(),
                await(publish(event("a", payload("a", 2))).toCompletableFuture()),
                "halted once more");
        publisher.resume();
        assertEquals(List.of(new PublishResult.Accepted()), send(List.of(event("a", payload("a", 2)))));
        assertEquals(payloads("a", 1, 2), arrived("a"));
    }

    @Test
    public void haltGivesUpWhatIsInFlight() throws Exception {
        OutboxEvent slow = unanswered("a").orElse(null);
        assumeTrue(slow != null, "everything is answered soon");
        assumeTrue(overrides("halt"), "the relay waits for this publisher");
        CompletableFuture<PublishResult> inFlight = publish(slow).toCompletableFuture();

        elsewhere(publisher::halt);

        assertEquals(new PublishResult.Unresolved(), await(inFlight));
        publisher.resume();
        assertEquals(List.of(new PublishResult.Accepted()), send(List.of(event("b", payload("b", 1)))));
    }

    @Test
    public void closeEndsWhatIsInFlightAndMayBeCalledTwice() throws Exception {
        OutboxEvent slow = unanswered("a").orElse(null);
        assumeTrue(slow != null, "everything is answered soon");
        assumeTrue(overrides("close"), "the relay waits for this publisher before it closes it");
        CompletableFuture<PublishResult> inFlight = publish(slow).toCompletableFuture();

        elsewhere(publisher::close);

        assertEquals(new PublishResult.Unresolved(), await(inFlight));
        publisher.close();
    }

    @Test
    public void closedPublisherTakesNothing() throws Exception {
        assumeTrue(overrides("close"), "the relay hands nothing over after it");
        assertEquals(List.of(new PublishResult.Accepted()), send(List.of(event("a", payload("a", 1)))));

        publisher.close();
        publisher.resume();

        assertEquals(
                new PublishResult.Unresolved(),
                await(publish(event("a", payload("a", 2))).toCompletableFuture()));
        assertEquals(payloads("a", 1, 1), arrived("a"));
    }

    @Test
    public void eventWithoutADestinationIsRefusedForGood() throws Exception {
        OutboxEvent nowhere = unroutable().orElse(null);
        assumeTrue(nowhere != null, "every event has a destination");
        String destination;
        try {
            destination = publisher.destination(nowhere);
        } catch (UnroutableEventException e) {
            assertTrue(e.getMessage() != null && e.getMessage().contains(nowhere.type()), "it does not name the type");
            return;
        }
        PublishResult result = await(publisher.publish(nowhere, destination).toCompletableFuture());
        assertTrue(assertInstanceOf(PublishResult.Rejected.class, result).permanent(), "it would be tried again");
    }

    @Test
    public void largeEventArrivesWholeOrIsRefusedForGoodAndTheNextArrives() throws Exception {
        String large = "\"a " + "x".repeat(LARGE) + "\"";

        PublishResult result = send(List.of(event("a", large))).get(0);
        if (result instanceof PublishResult.Accepted) {
            assertEquals(List.of(large), arrived("a"));
        } else {
            assertTrue(assertInstanceOf(PublishResult.Rejected.class, result).permanent(), "it would be tried again");
        }

        publisher.resume();
        assertEquals(List.of(new PublishResult.Accepted()), send(List.of(event("b", payload("b", 1)))));
    }

    @Test
    public void resultsCanBeUsedOnAnyThreadAndWhatIsDoneWithThemDisturbsNobody() throws Exception {
        CompletionStage<PublishResult> first = publish(event("a", payload("a", 1)));
        publisher.flush();
        CompletableFuture<PublishResult> seenElsewhere = new CompletableFuture<>();
        elsewhere(() -> first.whenComplete((result, error) -> {
            if (error == null) {
                seenElsewhere.complete(result);
            } else {
                seenElsewhere.completeExceptionally(error);
            }
            throw new IllegalStateException("made by the contract: whoever uses a result may fail");
        }));

        assertEquals(new PublishResult.Accepted(), await(seenElsewhere));
        assertEquals(List.of(new PublishResult.Accepted()), send(List.of(event("a", payload("a", 2)))));
        assertEquals(payloads("a", 1, 2), arrived("a"));
    }

    @Test
    public void oddEventsAreAnsweredAndNothingIsThrown() throws Exception {
        List<OutboxEvent> odd = List.of(
                event("b", "\"\""),
                event("k".repeat(250), "\"long key\""),
                event("line\nbreak \u0000 \u00e9 \ud83d\ude80", "\"odd key\""),
                event("a", "null"),
                event("a", "{\"nested\": [1, 2, {\"deep\": null}]}"));
        for (OutboxEvent event : odd) {
            CompletableFuture<PublishResult> answer;
            try {
                answer = publish(event).toCompletableFuture();
            } catch (UnroutableEventException e) {
                continue;
            }
            publisher.flush();
            if (!(await(answer) instanceof PublishResult.Accepted)) {
                publisher.resume();
            }
        }
    }

    @Test
    public void whatARelayCallsNowAndThenThrowsNothing() throws Exception {
        publisher.flush();
        publisher.expireOverdue();
        publisher.resume();
        publisher.onRelease(() -> {});
        assertTrue(publisher.releasable("nobody knows this destination") >= 0, "releasable");
        assertTrue(publisher.blocked().isEmpty(), "something is blocked at the beginning");

        assertEquals(List.of(new PublishResult.Accepted()), send(List.of(event("a", payload("a", 1)))));
        publisher.expireOverdue();
    }

    /** As a relay does with events of one key: nothing is handed over once it is known that one has failed. */
    private List<PublishResult> send(List<OutboxEvent> ofOneKey) throws Exception {
        List<CompletableFuture<PublishResult>> answers = new ArrayList<>();
        for (OutboxEvent event : ofOneKey) {
            if (!answers.isEmpty() && !publisher.mayFollowInFlight(event, publisher.destination(event))) {
                publisher.flush();
                await(answers.get(answers.size() - 1));
            }
            if (answers.stream().anyMatch(PublisherContract::hasFailed)) {
                break;
            }
            answers.add(publish(event).toCompletableFuture());
        }
        publisher.flush();
        List<PublishResult> results = new ArrayList<>();
        for (CompletableFuture<PublishResult> answer : answers) {
            results.add(await(answer));
        }
        return results;
    }

    private static boolean hasFailed(CompletableFuture<PublishResult> answer) {
        return answer.isCompletedExceptionally()
                || answer.isDone() && !(answer.join() instanceof PublishResult.Accepted);
    }

    /** When the destination is known, as a relay does. */
    private CompletionStage<PublishResult> publish(OutboxEvent event) throws Exception {
        String destination = publisher.destination(event);
        publisher.ready(destination).toCompletableFuture().get(patience().toMillis(), TimeUnit.MILLISECONDS);
        return publisher.publish(event, destination);
    }

    private PublishResult await(CompletableFuture<PublishResult> answer) throws InterruptedException {
        try {
            PublishResult result = answer.get(patience().toMillis(), TimeUnit.MILLISECONDS);
            return result != null ? result : fail("answered with null");
        } catch (TimeoutException e) {
            return fail("not answered within " + patience());
        } catch (ExecutionException e) {
            return fail("answered with an exception instead of a result", e.getCause());
        }
    }

    /** On another thread, and waits for it. */
    private void elsewhere(Runnable action) throws InterruptedException {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread other = new Thread(
                () -> {
                    try {
                        action.run();
                        done.complete(null);
                    } catch (Throwable e) {
                        done.completeExceptionally(e);
                    }
                },
                "contract-other");
        others.add(other);
        other.start();
        try {
            done.get(patience().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            fail("it does not return");
        } catch (ExecutionException e) {
            fail("it throws", e.getCause());
        }
    }

    private boolean overrides(String method) throws NoSuchMethodException {
        return publisher.getClass().getMethod(method).getDeclaringClass() != Publisher.class;
    }

    private List<String> arrived(String key) throws Exception {
        return arrived().stream()
                .filter(one -> one.startsWith("\"" + key + " "))
                .toList();
    }

    private static String payload(String key, int n) {
        return "\"" + key + " " + n + "\"";
    }

    private static List<String> payloads(String key, int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(n -> payload(key, n)).toList();
    }

    /** Before the first. */
    private static final class NoPublisher implements Publisher {
        @Override
        public String destination(OutboxEvent event) {
            throw new IllegalStateException("there is no publisher yet");
        }

        @Override
        public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
            throw new IllegalStateException("there is no publisher yet");
        }
    }
}
