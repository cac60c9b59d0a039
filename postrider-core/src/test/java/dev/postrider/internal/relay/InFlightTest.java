package dev.postrider.internal.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxEvent;
import dev.postrider.internal.store.RowClaim;
import dev.postrider.internal.store.StoredEvent;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.UnroutableEventException;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which events are handed to a publisher, and when. */
class InFlightTest {
    private final Pipeline publisher = new Pipeline();
    private final InFlight inFlight = new InFlight(publisher, true, () -> {}, () -> {});

    @Test
    void eventsOfDifferentKeysAreHandedOverTogether() {
        add("k1:a", "k2:b");

        assertThat(publisher.handedOver()).containsExactly("k1:a", "k2:b");
    }

    @Test
    void eventsOfOneKeyAreHandedOverTogetherIfThePublisherSaysSo() {
        publisher.mayFollow = true;

        add("k1:a", "k1:b");

        assertThat(publisher.handedOver()).containsExactly("k1:a", "k1:b");
    }

    @Test
    void otherwiseAnEventWaitsForTheOneBefore() {
        add("k1:a", "k1:b");
        assertThat(publisher.handedOver()).containsExactly("k1:a");

        publisher.answer("k1:a", new PublishResult.Accepted());
        assertThat(collect()).containsExactly("k1:a Accepted");
        assertThat(publisher.handedOver()).containsExactly("k1:a", "k1:b");
    }

    @Test
    void eventsOfOneKeyToDifferentDestinationsAreNeverInFlightTogether() {
        publisher.mayFollow = true;

        add("k1:a", "k1:elsewhere", "k1:b");
        assertThat(publisher.handedOver()).containsExactly("k1:a");

        publisher.answer("k1:a", new PublishResult.Accepted());
        collect();
        assertThat(publisher.handedOver()).containsExactly("k1:a", "k1:elsewhere");
    }

    @Test
    void afterAFailureNothingLaterOfTheKeyIsHandedOver() {
        add("k1:a", "k1:b", "k1:c", "k2:d");

        publisher.answer("k1:a", new PublishResult.Rejected("no", false));

        assertThat(collect()).containsExactly("k1:a Rejected", "k1:b Unresolved", "k1:c Unresolved");
        assertThat(publisher.handedOver()).containsExactly("k1:a", "k2:d");
        assertThat(inFlight.size()).isEqualTo(1);
    }

    @Test
    void eventWhosePublisherCannotSayWhereItGoesIsRejectedAndHoldsBackNoOther() {
        add("k1:broken", "k1:b", "k2:c");

        assertThat(collect()).containsExactly("k1:broken Rejected", "k1:b Unresolved");
        assertThat(publisher.handedOver()).containsExactly("k2:c");
        assertThat(inFlight.size()).isEqualTo(1);
    }

    @Test
    void eventRefusedAtOnceStopsItsKeyBeforeTheNextIsHandedOver() {
        publisher.mayFollow = true;
        publisher.refuseAtOnce = "k1:a";

        add("k1:a", "k1:b");

        assertThat(publisher.handedOver()).isEmpty();
        assertThat(collect()).containsExactly("k1:a Rejected", "k1:b Unresolved");
    }

    @Test
    void refusalSaysNothingOfWhatIsInFlightUnlessThatIsOfTheSameKey() {
        publisher.mayFollow = true;
        add("k1:nowhere", "k2:a", "k2:nowhere");
        publisher.answer("k2:a", new PublishResult.Rejected("no", false));

        assertThat(inFlight.collect().stream().map(InFlight.Completed::refusedAlone))
                .containsExactly(true, false, false);
    }

    @Test
    void eventWithoutDestinationIsRejectedForGood() {
        add("k1:nowhere", "k2:b");

        assertThat(collect()).containsExactly("k1:nowhere Rejected");
        assertThat(publisher.handedOver()).containsExactly("k2:b");
    }

    @Test
    void keyThatFailedIsOpenAgainForEventsFetchedLater() {
        add("k1:a");
        publisher.answer("k1:a", new PublishResult.Rejected("no", false));
        collect();

        add("k1:b");

        assertThat(publisher.handedOver()).containsExactly("k1:a", "k1:b");
    }

    @Test
    void withoutOrderNothingWaits() {
        InFlight unordered = new InFlight(publisher, false, () -> {}, () -> {});
        unordered.add(stored("k1:a"));
        unordered.add(stored("k1:b"));

        assertThat(publisher.handedOver()).containsExactly("k1:a", "k1:b");
    }

    @Test
    void eventsForADestinationThatNothingIsKnownOfWaitInTheirLaneAndOthersGoOn() {
        publisher.unknown = new CompletableFuture<>();
        publisher.mayFollow = true;

        add("k1:elsewhere", "k1:b", "k2:c");
        assertThat(publisher.handedOver()).containsExactly("k2:c");
        assertThat(inFlight.size()).isEqualTo(3);

        publisher.unknown.complete(null);
        assertThat(collect()).isEmpty();
        assertThat(publisher.handedOver()).containsExactly("k2:c", "k1:elsewhere");
        publisher.answer("k1:elsewhere", new PublishResult.Accepted());
        collect();
        assertThat(publisher.handedOver()).containsExactly("k2:c", "k1:elsewhere", "k1:b");
    }

    @Test
    void eventsThatHaveWaitedForTheirDestinationGoInTheOrderInWhichTheyCame() {
        publisher.unknown = new CompletableFuture<>();
        add("k1:1-elsewhere", "k2:2-elsewhere", "k3:3-elsewhere");

        publisher.unknown.complete(null);
        add("k4:4-elsewhere");
        assertThat(publisher.handedOver())
                .as("nobody overtakes those that have waited")
                .isEmpty();
        collect();

        assertThat(publisher.handedOver())
                .containsExactly("k1:1-elsewhere", "k2:2-elsewhere", "k3:3-elsewhere", "k4:4-elsewhere");
    }

    @Test
    void whenNothingIsSentForTheMomentNothingIsWaitedForEither() {
        publisher.unknown = new CompletableFuture<>();
        add("k1:elsewhere", "k1:b");

        inFlight.giveUpWaiting();
        assertThat(collect()).containsExactly("k1:elsewhere Unresolved", "k1:b Unresolved");
        publisher.unknown.complete(null);

        assertThat(collect()).isEmpty();
        assertThat(inFlight.size()).isZero();
        assertThat(publisher.handedOver()).isEmpty();
    }

    @Test
    void whatIsGivenBackUnsentMayFollowLaterWhatIsStillWithThePublisher() {
        add("k1:a", "k1:b", "k2:c");

        inFlight.giveBackUnsent();
        assertThat(collect()).containsExactly("k1:b Unresolved");
        add("k1:b");
        assertThat(collect()).as("it waits for the one before").isEmpty();
        publisher.answer("k1:a", new PublishResult.Accepted());

        assertThat(collect()).containsExactly("k1:a Accepted");
        assertThat(publisher.handedOver()).containsExactly("k1:a", "k2:c", "k1:b");
    }

    @Test
    void withoutOrderAnEventWaitsForItsDestinationAlone() {
        publisher.unknown = new CompletableFuture<>();
        InFlight unordered = new InFlight(publisher, false, () -> {}, () -> {});
        unordered.add(stored("k1:elsewhere"));
        unordered.add(stored("k1:b"));
        assertThat(publisher.handedOver()).containsExactly("k1:b");

        publisher.unknown.complete(null);
        unordered.collect();

        assertThat(publisher.handedOver()).containsExactly("k1:b", "k1:elsewhere");
    }

    @Test
    void blockedEventHoldsBackItsKeyOnly() {
        add("k1:a", "k1:b", "k2:c");

        publisher.answer("k1:a", new PublishResult.Blocked("here", "missing", "There is none."));

        assertThat(collect()).containsExactly("k1:a Blocked", "k1:b Unresolved");
        assertThat(publisher.handedOver()).containsExactly("k1:a", "k2:c");
    }

    @Test
    void whileHaltedNothingIsHandedOverWhateverThePublisherDoes() {
        add("k1:a", "k1:b", "k2:c");

        inFlight.halt();
        add("k3:d", "k3:e");
        publisher.answer("k1:a", new PublishResult.Accepted());

        assertThat(collect()).containsExactly("k3:d Unresolved", "k3:e Unresolved", "k1:a Accepted", "k1:b Unresolved");
        assertThat(publisher.handedOver()).containsExactly("k1:a", "k2:c");

        publisher.answer("k2:c", new PublishResult.Accepted());
        collect();
        inFlight.resume();
        add("k3:d");
        assertThat(publisher.handedOver()).containsExactly("k1:a", "k2:c", "k3:d");
    }

    @Test
    void whileHaltedNothingIsHandedOverWithoutOrderEither() {
        InFlight unordered = new InFlight(publisher, false, () -> {}, () -> {});
        unordered.halt();

        unordered.add(stored("k1:a"));

        assertThat(publisher.handedOver()).isEmpty();
        assertThat(unordered.collect())
                .singleElement()
                .satisfies(one -> assertThat(one.result()).isEqualTo(new PublishResult.Unresolved()));
    }

    @Test
    void whateverAPublisherThrowsIsAnAnswerAndStopsItsKeyOnly() {
        for (Throwable thrown : List.of(
                new IllegalStateException("broken"),
                new IOException("broken"),
                new StackOverflowError("broken"),
                new NoClassDefFoundError("broken"),
                new AssertionError("broken"))) {
            publisher.thrown = thrown;
            add("k1:throws", "k1:b", "k2:c");

            assertThat(inFlight.collect())
                    .as("%s", thrown)
                    .anySatisfy(one -> assertThat(one.result())
                            .isEqualTo(new PublishResult.Rejected(
                                    thrown.getClass().getSimpleName(), thrown.toString(), false)))
                    .hasSize(2);
            publisher.answer("k2:c", new PublishResult.Accepted());
            collect();
            publisher.pending.clear();
            assertThat(inFlight.size()).isZero();
        }
    }

    @Test
    void publisherThatAnswersWithNothingOrWithAnErrorHasRejectedTheEvent() {
        add("k1:a", "k2:b", "k3:null");
        publisher.answer("k1:a", null);
        publisher
                .pending
                .get("k2:b")
                .completeExceptionally(new CompletionException(new UnroutableEventException("no way")));

        assertThat(inFlight.collect())
                .extracting(InFlight.Completed::result)
                .satisfiesExactlyInAnyOrder(
                        one -> assertThat(one).isInstanceOf(PublishResult.Rejected.class),
                        one -> assertThat(one).isEqualTo(new PublishResult.Rejected("unroutable", "no way", true)),
                        one -> assertThat(one).isInstanceOf(PublishResult.Rejected.class));
    }

    @Test
    void itIsKnownWhetherAnEventHasFollowedAnotherOfItsKey() {
        add("k1:a", "k1:b", "k2:c");
        assertThat(inFlight.hasFollowers()).isFalse();

        publisher.mayFollow = true;
        add("k2:d");

        assertThat(inFlight.hasFollowers()).isTrue();
    }

    private void add(String... events) {
        for (String event : events) {
            inFlight.add(stored(event));
        }
    }

    private List<String> collect() {
        return inFlight.collect().stream()
                .map(done -> done.stored().event().aggregateId() + " "
                        + done.result().getClass().getSimpleName())
                .toList();
    }

    private static StoredEvent stored(String name) {
        OutboxEvent event = OutboxEvent.builder("acme.a.b.v1")
                .aggregate("a", name)
                .json("{}")
                .build();
        long key = name.substring(0, name.indexOf(':')).hashCode();
        return new StoredEvent(new RowClaim(1, "", 1, key, 0, 0, Duration.ZERO), event, 0);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable thrown) throws T {
        throw (T) thrown;
    }

    /** Holds what it is handed until the test answers. */
    private static final class Pipeline implements Publisher {
        private final Map<String, CompletableFuture<PublishResult>> pending = new LinkedHashMap<>();
        boolean mayFollow;
        String refuseAtOnce = "";
        Throwable thrown = new IllegalStateException();

        /** Complete when something is known of the other destination. */
        CompletableFuture<Void> unknown = CompletableFuture.completedFuture(null);

        List<String> handedOver() {
            return List.copyOf(pending.keySet());
        }

        void answer(String event, @Nullable PublishResult result) {
            pending.get(event).complete(result);
        }

        @Override
        public String destination(OutboxEvent event) {
            if (event.aggregateId().endsWith("nowhere")) {
                throw new UnroutableEventException("nowhere");
            }
            if (event.aggregateId().endsWith("broken")) {
                throw new IllegalStateException("broken");
            }
            return event.aggregateId().endsWith("elsewhere") ? "elsewhere" : "here";
        }

        @Override
        public CompletionStage<?> ready(String destination) {
            return destination.equals("elsewhere") ? unknown : READY;
        }

        @Override
        public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
            if (event.aggregateId().endsWith("throws")) {
                InFlightTest.<RuntimeException>sneak(thrown);
            }
            if (event.aggregateId().endsWith("null")) {
                return null;
            }
            if (event.aggregateId().equals(refuseAtOnce)) {
                return CompletableFuture.completedFuture(new PublishResult.Rejected("at once", true));
            }
            return pending.computeIfAbsent(event.aggregateId(), id -> new CompletableFuture<>());
        }

        @Override
        public boolean mayFollowInFlight(OutboxEvent event, String destination) {
            return mayFollow;
        }
    }
}
