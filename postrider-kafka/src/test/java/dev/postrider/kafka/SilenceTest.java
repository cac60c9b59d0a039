package dev.postrider.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class SilenceTest {
    private static final TopicPartition SILENT = new TopicPartition("orders", 1);
    private static final TopicPartition OTHER = new TopicPartition("orders", 2);

    private long now = -5;
    private final Cluster cluster = new Cluster();
    private final KnownTopics topics =
            new KnownTopics(() -> cluster, new RefusedSizes(true, 1_000_000, () -> now), () -> now);
    private final Silence silence = Silence.ofProducer(topics, () -> now);
    private final Silence inTransactions = Silence.inTransactions(topics, () -> now);

    /** Knows all topics; whether the leaders of partitions answer is said by the test. */
    private static final class Cluster extends TopicLook {
        boolean away;
        boolean leadersAnswer;

        Cluster() {
            super(new ProducerSettings(Map.of("bootstrap.servers", "localhost:1")));
        }

        @Override
        Map<String, Answer> at(Collection<String> names) {
            return names.stream()
                    .collect(Collectors.toMap(
                            name -> name, name -> away ? new Answer.NoAnswer("away") : new Answer.Good(3, Set.of())));
        }

        @Override
        void ask(TopicPartition partition, Runnable onAnswer) {
            if (leadersAnswer) {
                onAnswer.run();
            }
        }
    }

    @Test
    void partitionThatGivesNoAnswerForTenSecondsWhileOthersDoTakesNothingUntilItAnswers() {
        silence.sent(SILENT);
        silence.sent(SILENT);
        pass(Duration.ofSeconds(9));
        silence.sent(OTHER);
        silence.answered(OTHER);
        silence.look();
        assertThat(topics.blocked()).isEmpty();

        pass(Duration.ofSeconds(2));
        silence.look();
        assertThat(topics.blocked()).containsExactly(Map.entry("orders/1", "no answer"));

        silence.answered(SILENT);
        assertThat(topics.blocked()).isEmpty();

        pass(Duration.ofSeconds(9));
        silence.look();
        assertThat(topics.blocked()).as("counted from its last answer").isEmpty();
    }

    @Test
    void clusterThatGivesNoAnswerAtAllIsNotBlamedOnItsPartitions() {
        silence.sent(OTHER);
        silence.answered(OTHER);
        pass(Duration.ofSeconds(1));
        silence.sent(SILENT);
        silence.sent(OTHER);
        pass(Duration.ofMinutes(1));

        silence.look();

        assertThat(topics.blocked()).isEmpty();
    }

    @Test
    void partitionIsTriedAgainOnceItsProducerIsClosed() {
        int[] released = {0};
        topics.onRelease(() -> released[0]++);
        silence.sent(SILENT);
        pass(Duration.ofSeconds(11));
        silence.sent(OTHER);
        silence.answered(OTHER);
        silence.look();
        assertThat(topics.blocked()).containsOnlyKeys("orders/1");

        silence.end();

        assertThat(topics.blocked()).isEmpty();
        assertThat(released[0]).as("whoever holds events back is told").isEqualTo(1);
    }

    @Test
    void inATransactionWhatWasSentToASilentPartitionIsInVainAndItWaitsUntilItsLeaderAnswers() {
        look();
        inTransactions.sent(SILENT);
        inTransactions.look();
        assertThat(inTransactions.isWaitingInVain()).isFalse();

        pass(Duration.ofSeconds(11));
        look();
        inTransactions.look();
        assertThat(inTransactions.isWaitingInVain()).isTrue();
        inTransactions.undone(SILENT);
        assertThat(inTransactions.isWaitingInVain()).as("given up").isFalse();

        pass(Duration.ofSeconds(11));
        topics.lookAround(cluster);
        assertThat(topics.blocked()).as("whatever became of the producer").containsOnlyKeys("orders/1");

        cluster.leadersAnswer = true;
        pass(Duration.ofSeconds(11));
        topics.lookAround(cluster);
        assertThat(topics.blocked()).isEmpty();
    }

    @Test
    void transactionsThatAreShorterThanASilenceCountTogether() {
        for (int n = 0; n < 4; n++) {
            assertThat(topics.blocked()).as("after " + n).isEmpty();
            inTransactions.sent(SILENT);
            inTransactions.sent(OTHER);
            inTransactions.answered(OTHER);
            pass(Duration.ofSeconds(3));
            look();
            inTransactions.timedOut(SILENT);
        }
        assertThat(topics.blocked()).containsExactly(Map.entry("orders/1", "no answer"));
    }

    @Test
    void answerEndsWhatWasCountedAndWhatIsUndoneDoesNotCount() {
        for (int n = 0; n < 4; n++) {
            inTransactions.sent(SILENT);
            inTransactions.sent(OTHER);
            inTransactions.answered(OTHER);
            pass(Duration.ofSeconds(9));
            look();
            if (n % 2 == 0) {
                inTransactions.answered(SILENT);
            } else {
                inTransactions.undone(SILENT);
            }
        }
        inTransactions.sent(SILENT);
        inTransactions.timedOut(SILENT);
        assertThat(topics.blocked()).isEmpty();
    }

    @Test
    void partitionIsNotBlamedForAClusterThatCannotBeAskedAnyMore() {
        look();
        inTransactions.sent(SILENT);
        inTransactions.sent(OTHER);
        pass(Duration.ofSeconds(1));
        inTransactions.answered(OTHER);
        cluster.away = true;

        pass(Duration.ofSeconds(10));
        look();
        inTransactions.look();
        inTransactions.timedOut(SILENT);

        assertThat(topics.blocked()).isEmpty();
    }

    @Test
    void nothingIsExpectedOfAProducerThatDiedWithoutAnAnswer() {
        look();
        inTransactions.sent(SILENT);
        inTransactions.sent(SILENT);

        inTransactions.beginAnew();
        pass(Duration.ofSeconds(11));
        look();
        inTransactions.look();
        assertThat(topics.blocked()).isEmpty();

        inTransactions.sent(SILENT);
        inTransactions.undone(SILENT);
        inTransactions.undone(SILENT);
        inTransactions.timedOut(SILENT);
        inTransactions.sent(SILENT);
        pass(Duration.ofSeconds(11));
        look();
        inTransactions.look();
        assertThat(topics.blocked()).as("as any other").containsOnlyKeys("orders/1");
    }

    @Test
    void attemptsOfSeveralProducersCountTogetherAndLateAnswersCountOnce() {
        for (int n = 0; n < 4; n++) {
            assertThat(topics.blocked()).as("after " + n).isEmpty();
            inTransactions.beginAnew();
            inTransactions.undone(SILENT);
            inTransactions.sent(SILENT);
            pass(Duration.ofSeconds(3));
            look();
            inTransactions.timedOut(SILENT);
            inTransactions.undone(SILENT);
        }
        assertThat(topics.blocked()).containsOnlyKeys("orders/1");
        inTransactions.sent(SILENT);
        assertThat(inTransactions.isWaitingInVain())
                .as("it is one that is expected")
                .isTrue();
    }

    /** As its thread does when sending takes long. */
    private void look() {
        topics.ready("orders");
        topics.lookAgain("orders");
        topics.lookAround(cluster);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }
}
