package dev.postrider.publish.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.PostriderException;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.UnroutableEventException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HandlerPublisherTest {
    private static final String CREATED = "acme.order.created.v1";
    private static final String PAID = "acme.order.paid.v1";
    private static final Duration SOON = Duration.ofMillis(50);

    private final List<HandlerPublisher> publishers = new ArrayList<>();
    private final Stubborn stubborn = new Stubborn();
    private final List<String> handled = new CopyOnWriteArrayList<>();

    @AfterEach
    void letGo() {
        stubborn.returnAll();
        publishers.forEach(HandlerPublisher::close);
    }

    @Test
    void eventIsHandedToTheHandlerOfItsTypeOnAThreadWithAName() {
        List<String> seen = new CopyOnWriteArrayList<>();
        HandlerPublisher publisher = build(HandlerPublisher.builder()
                .on(
                        CREATED,
                        event -> seen.add("created " + Thread.currentThread().getName()))
                .on(PAID, event -> seen.add("paid " + Thread.currentThread().getName())));

        assertThat(join(publish(publisher, PAID, "a"))).isEqualTo(new PublishResult.Accepted());
        assertThat(seen).singleElement().asString().startsWith("paid postrider-handler-");
    }

    @Test
    void eventWithoutAHandlerIsRefusedForGoodAndTheReasonSaysHowToRegisterOne() {
        HandlerPublisher publisher = build(HandlerPublisher.builder().on(CREATED, event -> {}));

        assertThatThrownBy(() -> publisher.destination(event(PAID, "a")))
                .isInstanceOf(UnroutableEventException.class)
                .hasMessageContaining("no handler for event type [" + PAID + "]")
                .hasMessageContaining(".on(\"" + PAID + "\", event -> ...)")
                .hasMessageContaining("There are handlers for: " + CREATED);
        assertThat(join(publisher.publish(event(PAID, "a"), PAID).toCompletableFuture()))
                .isInstanceOfSatisfying(
                        PublishResult.Rejected.class,
                        one -> assertThat(one.permanent()).isTrue());
    }

    @Test
    void impossibleOptionsAreRefusedWhenItIsBuilt() {
        HandlerPublisher.Builder two = HandlerPublisher.builder()
                .on(CREATED, event -> {})
                .on(PAID, event -> {})
                .on(CREATED, event -> {});
        assertThatThrownBy(two::build)
                .isInstanceOf(PostriderException.class)
                .hasMessage("There are two handlers for " + CREATED + ": a type has one, which may call others.");
        assertThatThrownBy(HandlerPublisher.builder()::build).hasMessageContaining("There is no handler");
        assertThatThrownBy(HandlerPublisher.builder().on(PAID, event -> {}).concurrency(0)::build)
                .hasMessageContaining("concurrency is 0; it must be 1 or more");
        assertThatThrownBy(HandlerPublisher.builder().on(PAID, event -> {}).timeout(Duration.ZERO)::build)
                .hasMessageContaining("timeout is PT0S");
        Duration endless = Duration.ofSeconds(Long.MAX_VALUE);
        assertThatThrownBy(HandlerPublisher.builder().on(PAID, event -> {}).timeout(endless)::build)
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("timeout is " + endless);
    }

    static Stream<Throwable> outages() {
        return Stream.of(
                new SQLTransientConnectionException("the pool is empty"),
                new SQLRecoverableException("gone"),
                new SQLException("connection", "08006"),
                new SQLException("deadlock", "40P01"),
                new SQLException("no memory", "53200"),
                new SQLException("shutdown", "57P01"),
                new SQLException("deadlock", "HY000", 1213),
                new ConnectException("refused"),
                new SocketTimeoutException("read"),
                new UnknownHostException("nowhere"),
                new IllegalStateException(new RuntimeException(new SQLException("starting up", "57P03"))));
    }

    @ParameterizedTest
    @MethodSource("outages")
    void whatADatabaseOrAConnectionIsToBlameForIsUnavailable(Throwable thrown) {
        assertThat(resultOf(thrown)).isInstanceOf(PublishResult.Unavailable.class);
    }

    @ParameterizedTest
    @MethodSource("outages")
    void outageOfOneTypesHandlerSaysNothingOfOtherTypes(Throwable thrown) {
        assertThat(resultOf(thrown))
                .isInstanceOfSatisfying(
                        PublishResult.Unavailable.class,
                        one -> assertThat(one.oneOfSeveral())
                                .as("the only type")
                                .isFalse());
        HandlerPublisher two = build(throwing(thrown).on(PAID, event -> {}));
        assertThat(join(publish(two, CREATED, "a")))
                .isInstanceOfSatisfying(
                        PublishResult.Unavailable.class,
                        one -> assertThat(one.oneOfSeveral()).isTrue());
    }

    static Stream<Throwable> refusals() {
        return Stream.of(
                new IllegalArgumentException("no such order"),
                new SQLIntegrityConstraintViolationException("duplicate", "23505"),
                new SQLException("no such table", "42P01"),
                new SQLException("the transaction has failed before", "25P02"),
                new SQLException("a driver that says no more"),
                new IOException("unexpected end of the document"),
                new StackOverflowError(),
                new NoClassDefFoundError("a/b"),
                new OutOfMemoryError("made by a test"),
                new AssertionError("no"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void anythingElseThatIsThrownIsARejectionAndAnErrorToo(Throwable thrown) {
        assertThat(resultOf(thrown)).isInstanceOfSatisfying(PublishResult.Rejected.class, one -> {
            assertThat(one.errorClass()).isEqualTo(thrown.getClass().getSimpleName());
            assertThat(one.permanent()).isFalse();
        });
    }

    @Test
    void noMoreHandlersAreAtWorkThanAllowed() {
        HandlerPublisher publisher = build(
                HandlerPublisher.builder().on(CREATED, stubborn).concurrency(2).timeout(Duration.ofMinutes(1)));
        CompletableFuture<PublishResult> a = publish(publisher, CREATED, "a");
        CompletableFuture<PublishResult> b = publish(publisher, CREATED, "b");
        CompletableFuture<PublishResult> c = publish(publisher, CREATED, "c");
        stubborn.awaitAtWork("a", "b");

        stubborn.letReturn("a");
        assertThat(join(a)).isEqualTo(new PublishResult.Accepted());
        stubborn.awaitAtWork("b", "c");
        assertThat(stubborn.mostAtWork()).isEqualTo(2);
        stubborn.returnAll();
        assertThat(join(b)).isEqualTo(new PublishResult.Accepted());
        assertThat(join(c)).isEqualTo(new PublishResult.Accepted());
    }

    @Test
    void typeWhoseHandlersTakeLongDoesNotHaveAllThePlaces() {
        HandlerPublisher publisher = build(HandlerPublisher.builder()
                .on(CREATED, stubborn)
                .on(PAID, event -> handled.add(event.aggregateId()))
                .concurrency(2)
                .timeout(Duration.ofMinutes(1)));
        for (String key : List.of("a", "b", "c", "d", "e")) {
            publish(publisher, CREATED, key);
        }
        CompletableFuture<PublishResult> other = publish(publisher, PAID, "x");
        stubborn.awaitAtWork("a", "b");

        stubborn.letReturn("a");

        assertThat(join(other)).as("before c, d and e").isEqualTo(new PublishResult.Accepted());
    }

    @Test
    void handlerThatTakesTooLongIsInterruptedAndItsEventIsUnavailable() {
        AtomicBoolean interrupted = new AtomicBoolean();
        HandlerPublisher publisher = build(HandlerPublisher.builder()
                .on(CREATED, event -> {
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        interrupted.set(true);
                    }
                })
                .timeout(SOON));

        awaitTimeout(publisher, "a");
        await().untilTrue(interrupted);
    }

    @Test
    void handlerThatNeverReturnsIsInNobodysWayButItsKeys() {
        HandlerPublisher publisher = build(HandlerPublisher.builder()
                .on(CREATED, stubborn)
                .on(PAID, event -> handled.add(event.aggregateId()))
                .concurrency(1)
                .timeout(SOON));
        awaitTimeout(publisher, "a");

        await().until(() -> join(publish(publisher, PAID, "b")).equals(new PublishResult.Accepted()));
        assertThat(errorClass(publish(publisher, PAID, "a"))).as("of its key").isEqualTo("still-running");
        assertThat(errorClass(publish(publisher, CREATED, "c")))
                .as("too many of its type")
                .isEqualTo("still-running");
        assertThat(handled).containsOnly("b");

        stubborn.returnAll();
        await().until(() -> join(publish(publisher, PAID, "a")).equals(new PublishResult.Accepted()));
        await().until(() -> join(publish(publisher, CREATED, "c")).equals(new PublishResult.Accepted()));
    }

    @Test
    void timeoutOfOneTypesHandlerSaysNothingOfOtherTypes() {
        HandlerPublisher publisher = build(HandlerPublisher.builder()
                .on(CREATED, event -> new CountDownLatch(1).await())
                .on(PAID, event -> {})
                .timeout(SOON));

        await().untilAsserted(() -> assertThat(join(publish(publisher, CREATED, "a")))
                .isInstanceOfSatisfying(PublishResult.Unavailable.class, one -> {
                    assertThat(one.errorClass()).isEqualTo("timeout");
                    assertThat(one.oneOfSeveral()).isTrue();
                }));
    }

    @Test
    void whatNoHandlerHasBegunIsGivenBackAndWhatIsAtWorkGoesOn() {
        HandlerPublisher publisher = build(
                HandlerPublisher.builder().on(CREATED, stubborn).concurrency(1).timeout(Duration.ofMinutes(1)));
        CompletableFuture<PublishResult> atWork = publish(publisher, CREATED, "a");
        CompletableFuture<PublishResult> waiting = publish(publisher, CREATED, "b");
        stubborn.awaitAtWork("a");

        publisher.returnUnstarted();

        assertThat(waiting).isCompletedWithValue(new PublishResult.Unresolved());
        assertThat(atWork).isNotDone();
        stubborn.returnAll();
        assertThat(join(atWork)).isEqualTo(new PublishResult.Accepted());
        assertThat(join(publish(publisher, CREATED, "b"))).isEqualTo(new PublishResult.Accepted());
        assertThat(stubborn.interruptions()).isZero();
    }

    @Test
    void whatIsGivenBackBeforeAThreadTakesItIsNotBegunLater() {
        List<Runnable> queue = new CopyOnWriteArrayList<>();
        HandlerPublisher publisher = build(HandlerPublisher.builder()
                .on(CREATED, event -> handled.add(event.aggregateId()))
                .executor(queue::add));
        CompletableFuture<PublishResult> queued = publish(publisher, CREATED, "a");

        publisher.returnUnstarted();
        queue.forEach(Runnable::run);

        assertThat(queued).isCompletedWithValue(new PublishResult.Unresolved());
        assertThat(handled).isEmpty();
    }

    @Test
    void haltInterruptsHandlersAndWhatTheyReturnIsNotHeard() {
        HandlerPublisher publisher = build(
                HandlerPublisher.builder().on(CREATED, stubborn).concurrency(1).timeout(Duration.ofMinutes(1)));
        CompletableFuture<PublishResult> atWork = publish(publisher, CREATED, "a");
        CompletableFuture<PublishResult> waiting = publish(publisher, CREATED, "b");
        stubborn.awaitAtWork("a");

        publisher.halt();

        assertThat(atWork).isCompletedWithValue(new PublishResult.Unresolved());
        assertThat(waiting).isCompletedWithValue(new PublishResult.Unresolved());
        assertThat(publish(publisher, CREATED, "c")).isCompletedWithValue(new PublishResult.Unresolved());
        await().until(() -> stubborn.interruptions() == 1);
        publisher.resume();
        assertThat(errorClass(publish(publisher, CREATED, "a"))).isEqualTo("still-running");

        stubborn.returnAll();
        await().until(() -> join(publish(publisher, CREATED, "a")).equals(new PublishResult.Accepted()));
    }

    @Test
    void afterCloseNothingIsTakenEvenIfItIsResumed() {
        HandlerPublisher publisher =
                build(HandlerPublisher.builder().on(CREATED, stubborn).timeout(Duration.ofMinutes(1)));
        CompletableFuture<PublishResult> atWork = publish(publisher, CREATED, "a");
        stubborn.awaitAtWork("a");

        publisher.close();
        publisher.resume();

        assertThat(atWork).isCompletedWithValue(new PublishResult.Unresolved());
        assertThat(publish(publisher, CREATED, "b")).isCompletedWithValue(new PublishResult.Unresolved());
    }

    @Test
    void executorThatTakesNothingMakesEventsUnavailable() {
        HandlerPublisher publisher = build(HandlerPublisher.builder()
                .on(CREATED, event -> handled.add(event.aggregateId()))
                .executor(work -> {
                    throw new RejectedExecutionException("closed");
                }));

        assertThat(errorClass(publish(publisher, CREATED, "a"))).isEqualTo("no-thread");
    }

    @Test
    void handlerThatNoThreadHasBegunInTimeIsNotBegunLater() {
        List<Runnable> queue = new CopyOnWriteArrayList<>();
        HandlerPublisher publisher = build(HandlerPublisher.builder()
                .on(CREATED, event -> handled.add(event.aggregateId()))
                .executor(queue::add)
                .timeout(SOON));
        assertThat(errorClass(publish(publisher, CREATED, "a"))).isEqualTo("no-thread");

        queue.forEach(Runnable::run);

        assertThat(handled).isEmpty();
    }

    /** On a slow machine it may happen that no thread begins in time. */
    private static void awaitTimeout(HandlerPublisher publisher, String key) {
        await().until(() -> errorClass(publish(publisher, CREATED, key)).equals("timeout"));
    }

    private PublishResult resultOf(Throwable thrown) {
        return join(publish(build(throwing(thrown)), CREATED, "a"));
    }

    private static HandlerPublisher.Builder throwing(Throwable thrown) {
        return HandlerPublisher.builder().on(CREATED, event -> {
            if (thrown instanceof Error error) {
                throw error;
            }
            throw (Exception) thrown;
        });
    }

    private HandlerPublisher build(HandlerPublisher.Builder builder) {
        HandlerPublisher publisher = builder.build();
        publishers.add(publisher);
        return publisher;
    }

    private static CompletableFuture<PublishResult> publish(HandlerPublisher publisher, String type, String key) {
        OutboxEvent event = event(type, key);
        return publisher.publish(event, publisher.destination(event)).toCompletableFuture();
    }

    private static PublishResult join(CompletableFuture<PublishResult> answer) {
        return answer.orTimeout(60, TimeUnit.SECONDS).join();
    }

    private static String errorClass(CompletableFuture<PublishResult> answer) {
        return ((PublishResult.Unavailable) join(answer)).errorClass();
    }

    private static OutboxEvent event(String type, String key) {
        return OutboxEvent.builder(type).aggregate("order", key).json("{}").build();
    }

    /** Returns when the test says so, whoever interrupts it. */
    private static final class Stubborn implements HandlerPublisher.Handler {
        private final Map<String, CountDownLatch> latches = new ConcurrentHashMap<>();
        private final List<String> atWork = new CopyOnWriteArrayList<>();
        private volatile boolean all;
        private int most;
        private int interruptions;

        @Override
        public void handle(OutboxEvent event) {
            String key = event.aggregateId();
            synchronized (this) {
                atWork.add(key);
                most = Math.max(most, atWork.size());
            }
            CountDownLatch latch = latches.computeIfAbsent(key, one -> new CountDownLatch(1));
            while (!all && latch.getCount() > 0) {
                try {
                    latch.await(10, TimeUnit.MILLISECONDS);
                } catch (InterruptedException e) {
                    synchronized (this) {
                        interruptions++;
                    }
                }
            }
            atWork.remove(key);
        }

        synchronized int mostAtWork() {
            return most;
        }

        synchronized int interruptions() {
            return interruptions;
        }

        void awaitAtWork(String... keys) {
            await().untilAsserted(() -> assertThat(atWork).containsExactlyInAnyOrder(keys));
        }

        void letReturn(String key) {
            latches.computeIfAbsent(key, one -> new CountDownLatch(1)).countDown();
        }

        void returnAll() {
            all = true;
        }
    }
}
