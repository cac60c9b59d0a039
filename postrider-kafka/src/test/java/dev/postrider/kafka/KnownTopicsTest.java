package dev.postrider.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.publish.PublishResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;

/** How long topics are remembered. That what is said of them is true, BlockedTopicTest shows with a broker. */
class KnownTopicsTest {
    private long now = Long.MAX_VALUE - 5;
    private final Cluster cluster = new Cluster();
    private final KnownTopics topics =
            new KnownTopics(() -> cluster, new RefusedSizes(true, 1_000_000, () -> now), () -> now);

    /** Knows some topics, and no others. */
    private static final class Cluster extends TopicLook {
        final Set<String> made = new HashSet<>();
        final List<Integer> requests = new ArrayList<>();
        boolean away;

        Cluster() {
            super(new ProducerSettings(Map.of("bootstrap.servers", "localhost:1")));
        }

        @Override
        Map<String, Answer> at(Collection<String> names) {
            requests.add(names.size());
            Map<String, Answer> answers = new HashMap<>();
            for (String name : names) {
                answers.put(
                        name,
                        away
                                ? new Answer.NoAnswer("it is away")
                                : made.contains(name) ? new Answer.Good(3, Set.of()) : new Answer.Missing());
            }
            return answers;
        }

        @Override
        boolean doBrokersMakeTopics() {
            return false;
        }
    }

    @Test
    void topicThatNobodyAsksForIsForgottenAndOneThatIsInUseIsNot() {
        cluster.made.add("used");
        ask("used");
        ask("gone");

        for (int minute = 0; minute < 11; minute++) {
            pass(Duration.ofMinutes(1));
            ask("used");
            topics.releasable("waited-for/2");
            topics.lookAround(cluster);
        }

        assertThat(topics.remembered()).isEqualTo(2);
        assertThat(topics.blocked()).containsOnlyKeys("waited-for");
    }

    @Test
    void topicsWithoutEndAreLookedAtInBatchesAndOnlySomeOfThemAreRemembered() {
        for (int n = 0; n < 30_000; n++) {
            topics.ready("topic-" + n);
            if (n % 1_000 == 0) {
                pass(Duration.ofSeconds(1));
            }
        }
        while (topics.lookAround(cluster) == 0) {
            // The next batch.
        }
        assertThat(cluster.requests).allMatch(size -> size <= KnownTopics.BATCH);
        assertThat(topics.remembered()).isLessThan(21_000);

        pass(Duration.ofSeconds(11));
        topics.lookAround(cluster);

        assertThat(topics.remembered()).isLessThanOrEqualTo(10_000);
        assertThat(topics.blocked()).hasSize(100);
    }

    @Test
    void nobodyWaitsForATopicThatIsForgottenMeanwhile() {
        cluster.away = true;
        ask("late");
        pass(Duration.ofMinutes(11));

        CompletionStage<?> ready = topics.ready("late");
        cluster.away = false;
        topics.lookAround(cluster);

        assertThat(ready.toCompletableFuture()).isDone();
    }

    @Test
    void newTopicDoesNotWaitForAllThatAreDueAgain() {
        for (int n = 0; n < 3 * KnownTopics.BATCH; n++) {
            topics.ready("missing-" + n);
        }
        while (topics.lookAround(cluster) == 0) {
            // The next batch.
        }
        pass(Duration.ofSeconds(2));
        CompletionStage<?> ready = topics.ready("new");

        topics.lookAround(cluster);

        assertThat(ready.toCompletableFuture()).isDone();
    }

    @Test
    void eventsOfAForgottenTopicGoOnOnlyWhenItWasLookedAt() {
        cluster.made.add("made");

        assertThat(topics.releasable("made")).as("not yet known").isZero();
        assertThat(topics.releasable("missing")).isZero();
        topics.lookAround(cluster);

        assertThat(topics.releasable("made")).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void eventsThatARelayWithOtherRoutesHasLeftGoOnUntilOneGoesThereStill() {
        topics.releasable("missing");
        topics.lookAround(cluster);

        assertThat(topics.releasable("missing")).as("nothing goes there").isEqualTo(Integer.MAX_VALUE);
        topics.obstacle("missing", new byte[] {1});
        assertThat(topics.releasable("missing")).isZero();
    }

    @Test
    void topicThatVanishesIsCalledMissingAsOneThatWasNeverThere() {
        cluster.made.add("orders");
        ask("orders");

        PublishResult failed = topics.failed(
                new ProducerRecord<>("orders", new byte[1]), new UnknownTopicOrPartitionException("not hosted here"));

        assertThat(failed).isEqualTo(topics.obstacle("orders", new byte[] {1}));
        assertThat(failed)
                .isEqualTo(new PublishResult.Blocked("orders", "UnknownTopicOrPartition", "There is no topic orders."));
    }

    /** The thread of the first use may be waiting for the cluster when the second one starts. */
    @Test
    void topicsThatAreUsedAgainAtOnceAreLookedAtWithClientsOfTheirOwn() throws Exception {
        Queue<Waiting> looks = new ConcurrentLinkedQueue<>();
        KnownTopics shared = new KnownTopics(
                () -> {
                    Waiting look = new Waiting();
                    looks.add(look);
                    return look;
                },
                new RefusedSizes(true, 1_000_000, System::nanoTime),
                System::nanoTime);
        shared.use();
        shared.ready("orders");
        Waiting first = looks.element();
        first.asked.await();

        shared.leave();
        shared.use();
        first.mayAnswer.countDown();
        first.closed.await();

        Waiting second = looks.stream().skip(1).findFirst().orElseThrow();
        second.mayAnswer.countDown();
        shared.ready("payments").toCompletableFuture().get(1, TimeUnit.MINUTES);
        assertThat(second.closed.getCount()).as("still open").isEqualTo(1);
        assertThat(second.asked.getCount()).as("used").isZero();
        shared.leave();
        second.closed.await();
    }

    /** Answers when it may. */
    private static final class Waiting extends TopicLook {
        final CountDownLatch asked = new CountDownLatch(1);
        final CountDownLatch mayAnswer = new CountDownLatch(1);
        final CountDownLatch closed = new CountDownLatch(1);

        Waiting() {
            super(new ProducerSettings(Map.of("bootstrap.servers", "localhost:1")));
        }

        @Override
        Map<String, Answer> at(Collection<String> names) {
            asked.countDown();
            try {
                mayAnswer.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return names.stream().collect(Collectors.toMap(name -> name, name -> new Answer.Good(3, Set.of())));
        }

        @Override
        void close() {
            closed.countDown();
        }
    }

    private void ask(String name) {
        topics.ready(name);
        topics.lookAround(cluster);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }
}
