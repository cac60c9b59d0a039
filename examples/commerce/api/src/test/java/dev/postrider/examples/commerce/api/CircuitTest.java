package dev.postrider.examples.commerce.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.postrider.EventStatus;
import dev.postrider.examples.Requirement;
import dev.postrider.publish.PublishResult;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A destination that takes nothing is left alone for a while, and nothing is counted against any event. */
class CircuitTest extends BadTimesTest {

    @Test
    @Requirement({"C4", "C7", "C15"})
    void fiveFailuresAmongTenAnswersOpenTheCircuitAndFourDoNot() {
        try (Log log = new Log()) {
            pay(10);
            awaitAllSent();
            failFirst(4);
            pay(20);
            awaitAllSent();
            assertThat(log.ofOursFrom(Level.ERROR))
                    .describedAs("after four failures")
                    .isEmpty();

            failFirst(5);
            List<UUID> orders = pay(20);
            await().atMost(PATIENCE).until(() -> log.has(Level.WARN, "circuit closed → open"));

            assertThat(log.has(Level.ERROR, "50 % of the last 10 failed")).isTrue();
            await().atMost(PATIENCE).until(() -> log.has(Level.WARN, "the batch stopped at row"));
            await().atMost(PATIENCE).until(() -> log.has(Level.WARN, "circuit open → half-open"));
            await().atMost(PATIENCE).until(() -> log.has(Level.WARN, "circuit half-open → closed"));
            awaitAllSent();
            assertThat(orders).allSatisfy(order -> assertThat(failed(order)).isEqualTo(FailedRow.NONE));
        }
    }

    /** The next answers are that nobody is at home, and then all goes well again. */
    private void failFirst(int answers) {
        AtomicInteger left = new AtomicInteger(answers);
        doorman.answer(event -> left.getAndDecrement() > 0 ? Doorman.down() : null);
    }

    @Test
    @Requirement({"C4", "C7"})
    void oneFailureAmongThreeTrialsOpensTheCircuitAgain() {
        pay(10);
        awaitAllSent();
        try (Log log = new Log()) {
            doorman.answer(event -> Doorman.down());
            List<UUID> orders = pay(10);
            await().atMost(PATIENCE).until(() -> log.has(Level.WARN, "circuit closed → open"));
            assertThat(admin.status().count(EventStatus.PENDING)).isEqualTo(10);

            long before = transitions(log, "half-open → open");
            Deque<Boolean> script = new ConcurrentLinkedDeque<>(List.of(true, true, false));
            doorman.answer(event -> Boolean.FALSE.equals(script.poll()) ? Doorman.down() : null);
            await().atMost(PATIENCE).until(() -> log.has(Level.WARN, "circuit half-open → closed"));

            assertThat(transitions(log, "half-open → open"))
                    .describedAs("after success, success, failure")
                    .isEqualTo(before + 1);
            assertThat(script).isEmpty();
            awaitAllSent();
            assertThat(orders).allSatisfy(order -> assertThat(failed(order)).isEqualTo(FailedRow.NONE));
        }
    }

    @Test
    @Requirement("C4")
    void batchIsSentWithoutWaitingForAnswersAndWhatIsNotAnsweredIsToldOf() {
        List<CompletableFuture<PublishResult>> unanswered = new CopyOnWriteArrayList<>();
        doorman.answer(event -> {
            CompletableFuture<PublishResult> answer = new CompletableFuture<>();
            unanswered.add(answer);
            return answer;
        });
        try (Log log = new Log()) {
            pay(100);

            await().atMost(PATIENCE).until(() -> doorman.sent().size() == 100);
            await().atMost(PATIENCE).until(() -> log.has(Level.WARN, "no answer from the destination", "100 events"));
            assertThat(admin.status().count(EventStatus.PENDING))
                    .describedAs("ahead of the cursor until all are answered")
                    .isEqualTo(100);
        } finally {
            doorman.letAllPass();
            unanswered.forEach(answer -> answer.complete(new PublishResult.Accepted()));
        }
        awaitAllSent();
    }

    private static long transitions(Log log, String which) {
        return log.at(Level.WARN).stream()
                .filter(line -> line.contains("circuit " + which))
                .count();
    }
}
