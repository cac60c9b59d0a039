package dev.postrider.internal.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.PostriderException;
import dev.postrider.alert.Alert.Severity;
import dev.postrider.alert.AlertRules;
import dev.postrider.alert.Levels;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AlertMonitorTest {
    private static final OutboxEvent EVENT = OutboxEvent.builder("acme.order.paid.v1")
            .aggregate("order", "42")
            .json("{}")
            .build();

    private final RecordingChannel channel = new RecordingChannel();
    private AlertMonitor monitor = monitor(AlertRules.defaults());
    private Instant now = Instant.parse("2026-11-15T12:00:00Z");

    // ---- levels

    @Test
    void moreThanTenThousandPendingIsToldAndTenThousandIsNot() {
        monitor.backlog(10_000, Duration.ZERO);
        look();
        assertThat(channel.take()).isEmpty();

        monitor.backlog(10_001, Duration.ZERO);
        runAfter(Duration.ofMinutes(1));

        assertThat(channel.take())
                .singleElement()
                .satisfies(alert -> assertThat(alert.rule()).isEqualTo("pending"))
                .satisfies(alert -> assertThat(alert.severity()).isEqualTo(Severity.WARNING))
                .satisfies(alert -> assertThat(alert.fields())
                        .containsExactly(
                                Map.entry("outbox", "orders"),
                                Map.entry("relay", "one"),
                                Map.entry("count", "10001"),
                                Map.entry("threshold", "10000")));
    }

    @Test
    void destinationThatDoesNotAnswerIsToldAndThatItAnswersAgain() {
        look();
        monitor.unanswered(3, Duration.ofSeconds(31));
        look();
        monitor.unanswered(4, Duration.ofSeconds(32));
        look();
        assertThat(channel.take())
                .singleElement()
                .satisfies(alert -> assertThat(alert.rule()).isEqualTo("unanswered"))
                .satisfies(alert -> assertThat(alert.title()).contains("31 s"));

        monitor.unanswered(0, Duration.ZERO);
        look();
        assertThat(channel.takeRules()).containsExactly("unanswered over");
    }

    @Test
    void destinationsThatTakeNothingAreNamedWithTheReasonAndThatAllTakeEventsAgainIsTold() {
        look();
        monitor.blocked(Map.of("orders", "missing", "invoices/3", "no leader"));
        look();
        look();
        assertThat(channel.take())
                .singleElement()
                .satisfies(alert -> assertThat(alert.rule()).isEqualTo("destination"))
                .satisfies(alert -> assertThat(alert.severity()).isEqualTo(Severity.CRITICAL))
                .satisfies(alert -> assertThat(alert.title()).endsWith("invoices/3 (no leader), orders (missing)"))
                .satisfies(alert -> assertThat(alert.fields()).containsEntry("destinations", "2"));

        monitor.blocked(Map.of("orders", "missing"));
        look();
        assertThat(channel.take()).isEmpty();

        monitor.blocked(Map.of());
        look();
        assertThat(channel.takeRules()).containsExactly("destination over");
    }

    @Test
    void levelThatStaysHighIsRepeatedAfterTheCoolDownAndNotBefore() {
        monitor.backlog(20_000, Duration.ZERO);
        look();
        assertThat(channel.takeRules()).containsExactly("pending");

        for (int minute = 1; minute < 15; minute++) {
            runAfter(Duration.ofMinutes(1));
        }
        assertThat(channel.take()).isEmpty();

        runAfter(Duration.ofMinutes(1));
        assertThat(channel.takeRules()).containsExactly("pending");
    }

    @Test
    void endOfATroubleThatWasToldIsToldOnce() {
        monitor.backlog(20_000, Duration.ZERO);
        look();
        channel.take();

        monitor.backlog(7, Duration.ZERO);
        runAfter(Duration.ofMinutes(1));
        runAfter(Duration.ofMinutes(1));

        assertThat(channel.takeRules()).containsExactly("pending over");
    }

    @Test
    void levelThatGoesUpAndDownIsQuietUntilTheCoolDownIsOver() {
        for (int i = 0; i < 7; i++) {
            monitor.backlog(20_000, Duration.ZERO);
            runAfter(Duration.ofMinutes(1));
            monitor.backlog(0, Duration.ZERO);
            runAfter(Duration.ofMinutes(1));
        }

        assertThat(channel.takeRules()).containsExactly("pending", "pending over");
    }

    @Test
    void ageOfTheOldestEventIsToldOnlyIfAskedFor() {
        monitor.backlog(1, Duration.ofDays(3));
        look();
        assertThat(channel.take()).as("off by default").isEmpty();

        monitor = monitor(AlertRules.builder().oldestAge(Duration.ofMinutes(5)).build());
        monitor.backlog(1, Duration.ofMinutes(6));
        look();
        monitor.backlog(1, Duration.ofMinutes(5));
        runAfter(Duration.ofMinutes(1));

        assertThat(channel.takeRules()).containsExactly("oldest-age", "oldest-age over");
    }

    @Test
    void levelsOfTheHousekeeperReplaceWhatTheRelayCounts() {
        monitor.expectLevelsFromHousekeeper();
        monitor.backlog(20_000, Duration.ZERO);
        look();
        assertThat(channel.take()).isEmpty();

        monitor.levels(new Levels(20_000, 101, Duration.ZERO), "", now);

        assertThat(channel.takeRules()).containsExactly("pending", "failed");
    }

    @Test
    void anotherInstanceGoesOnWithTheMemoryOfTheFirst() {
        String memory = monitor.levels(new Levels(20_000, 0, Duration.ZERO), "", now);
        AlertMonitor heir = monitor(AlertRules.defaults());
        assertThat(channel.takeRules()).containsExactly("pending");

        memory = heir.levels(new Levels(20_000, 0, Duration.ZERO), memory, now.plusSeconds(60));
        assertThat(channel.take()).as("not told again").isEmpty();

        memory = heir.levels(new Levels(0, 0, Duration.ZERO), memory, now.plusSeconds(120));
        assertThat(channel.takeRules()).as("but its end is").containsExactly("pending over");

        heir.levels(new Levels(20_000, 0, Duration.ZERO), memory, now.plusSeconds(180));
        assertThat(channel.take()).as("still cooling down").isEmpty();
    }

    @Test
    void memoryThatCannotBeReadIsForgotten() {
        monitor.levels(new Levels(20_000, 0, Duration.ZERO), "pending raised yesterday\nnonsense", now);

        assertThat(channel.takeRules()).containsExactly("pending");
    }

    @Test
    void clockThatWasSetBackSilencesNothing() {
        String memory = monitor.levels(new Levels(20_000, 0, Duration.ZERO), "", now.plus(Duration.ofDays(300)));
        channel.take();

        monitor.levels(new Levels(20_000, 0, Duration.ZERO), memory, now);

        assertThat(channel.takeRules()).containsExactly("pending");
    }

    @Test
    void openCircuitIsToldAtOnceAndItsEndWhenItIsClosedAndNotHalfOpen() {
        look();
        monitor.circuitChanged("open");
        runAfter(Duration.ofMillis(1));
        assertThat(channel.takeRules()).containsExactly("circuit");

        monitor.circuitChanged("half-open");
        runAfter(Duration.ofMillis(1));
        monitor.circuitChanged("open");
        runAfter(Duration.ofMillis(1));
        assertThat(channel.take()).isEmpty();

        monitor.circuitChanged("closed");
        runAfter(Duration.ofMillis(1));
        assertThat(channel.takeRules()).containsExactly("circuit over");
    }

    // ---- one by one

    @Test
    void deadLetterIsToldAtOnceWithItsId() {
        look();
        monitor.dead(4711, "too large");
        runAfter(Duration.ofMillis(1));

        assertThat(channel.take())
                .singleElement()
                .satisfies(alert -> assertThat(alert.severity()).isEqualTo(Severity.CRITICAL))
                .satisfies(alert -> assertThat(alert.title()).contains("4711"))
                .satisfies(alert -> assertThat(alert.text()).contains("too large"))
                .satisfies(alert -> assertThat(alert.fields()).containsEntry("id", "4711"));
    }

    @Test
    void deadLettersKnowNoCoolDown() {
        for (int id = 1; id <= 3; id++) {
            monitor.dead(id, "no");
            runAfter(Duration.ofSeconds(5));
        }

        assertThat(channel.takeRules()).containsExactly("dead-letter", "dead-letter", "dead-letter");
    }

    @Test
    void moreThanTwentyDeadLettersInAMinuteAreSummedUpWhenItIsOver() {
        for (int id = 1; id <= 15; id++) {
            monitor.dead(id, "no");
        }
        look();
        for (int id = 16; id <= 500; id++) {
            monitor.dead(id, "no");
        }
        runAfter(Duration.ofSeconds(30));
        assertThat(channel.take())
                .extracting(alert -> alert.fields().get("id"))
                .startsWith("1", "2")
                .endsWith("20")
                .hasSize(20);

        runAfter(Duration.ofSeconds(30));
        assertThat(channel.take())
                .singleElement()
                .satisfies(alert -> assertThat(alert.fields()).containsEntry("count", "480"));

        monitor.dead(501, "no");
        runAfter(Duration.ofSeconds(1));
        assertThat(channel.take())
                .as("a new minute")
                .singleElement()
                .satisfies(alert -> assertThat(alert.fields()).containsEntry("id", "501"));
    }

    @Test
    void deadLettersUpToTheThresholdInAMinuteAreNotTold() {
        monitor = monitor(AlertRules.builder().deadLetters(3).build());
        for (int id = 1; id <= 5; id++) {
            monitor.dead(id, "no");
        }
        look();

        assertThat(channel.take()).extracting(alert -> alert.fields().get("id")).containsExactly("4", "5");
    }

    @Test
    void integrityFailureIsToldAtOnce() {
        look();
        monitor.integrityFailure(7);
        runAfter(Duration.ofMillis(1));

        assertThat(channel.take())
                .singleElement()
                .satisfies(alert -> assertThat(alert.rule()).isEqualTo("integrity"))
                .satisfies(alert -> assertThat(alert.severity()).isEqualTo(Severity.CRITICAL))
                .satisfies(alert -> assertThat(alert.fields()).containsEntry("id", "7"));
    }

    @Test
    void eventThatNoNetCouldHoldIsAlwaysToldInFull() {
        String row = "{\"payload\":\"" + "x".repeat(100_000) + "\"}";
        for (int id = 1; id <= 50; id++) {
            monitor.deadLetterUnsaved(id, row);
        }
        look();

        assertThat(channel.take())
                .hasSize(50)
                .allSatisfy(alert -> assertThat(alert.fields()).containsEntry("row", row));
    }

    // ---- counted

    @Test
    void moreThanTenFailuresAMinuteAreTold() {
        look();
        fail(10);
        runAfter(Duration.ofMinutes(1));
        assertThat(channel.take()).isEmpty();

        fail(11);
        runAfter(Duration.ofMinutes(1));
        assertThat(channel.take())
                .singleElement()
                .satisfies(alert -> assertThat(alert.rule()).isEqualTo("failures-per-minute"))
                .satisfies(alert -> assertThat(alert.fields()).containsEntry("count", "11"));
    }

    @Test
    void burstOfFailuresIsToldBeforeItsMinuteIsOver() {
        monitor = monitor(AlertRules.builder().interval(Duration.ofSeconds(10)).build());
        look();
        fail(11);
        runAfter(Duration.ofSeconds(10));

        assertThat(channel.takeRules()).containsExactly("failures-per-minute");
    }

    @Test
    void lookThatComesLateDoesNotMakeManyOfFew() {
        look();
        fail(30);
        runAfter(Duration.ofMinutes(5));

        assertThat(channel.take()).as("6 a minute").isEmpty();
    }

    @Test
    void failOverOfTheDatabaseIsToldWithTheNumberOfItsShards() {
        monitor.databaseFailedOver(0, 1, 2);
        monitor.databaseFailedOver(1, 1, 2);
        look();

        assertThat(channel.take())
                .extracting(alert -> alert.rule() + " " + alert.severity() + " "
                        + alert.fields().get("shards"))
                .containsExactly("failover CRITICAL 2");
        runAfter(Duration.ofHours(1));
        assertThat(channel.take()).isEmpty();
    }

    @Test
    void eventsTakenOverDuringTheCoolDownAreToldAfterIt() {
        monitor.recovered(5);
        look();
        assertThat(channel.take())
                .extracting(alert -> alert.fields().get("count"))
                .containsExactly("5");

        monitor.recovered(3);
        runAfter(Duration.ofMinutes(1));
        monitor.recovered(4);
        runAfter(Duration.ofMinutes(1));
        assertThat(channel.take()).isEmpty();

        runAfter(Duration.ofMinutes(13));
        assertThat(channel.take())
                .extracting(alert -> alert.fields().get("count"))
                .containsExactly("7");
    }

    @Test
    void deadLettersInTheFileAreTold() {
        monitor.deadLetterInFile(1);
        monitor.deadLetterInFile(2);
        look();

        assertThat(channel.take())
                .singleElement()
                .satisfies(alert -> assertThat(alert.rule()).isEqualTo("dead-letter-in-file"))
                .satisfies(alert -> assertThat(alert.fields()).containsEntry("count", "2"));
    }

    @Test
    void everyRuleCanBeOff() {
        monitor = monitor(AlertRules.builder()
                .pending(AlertRules.OFF)
                .failed(AlertRules.OFF)
                .circuitOpen(false)
                .failuresPerMinute(AlertRules.OFF)
                .recovered(AlertRules.OFF)
                .deadLetters(AlertRules.OFF)
                .integrityFailures(AlertRules.OFF)
                .build());
        look();
        monitor.backlog(1_000_000, Duration.ofDays(1));
        monitor.circuitChanged("open");
        monitor.recovered(100);
        monitor.deadLetterInFile(1);
        fail(1000);
        for (int id = 1; id <= 100; id++) {
            monitor.dead(id, "no");
            monitor.integrityFailure(id);
        }
        runAfter(Duration.ofMinutes(1));
        runAfter(Duration.ofMinutes(1));
        monitor.levels(new Levels(1_000_000, 1_000_000, Duration.ofDays(1)), "", now);

        assertThat(channel.take()).isEmpty();
    }

    @Test
    void badRuleNamesTheOptionItsValueAndWhatIsAllowed() {
        assertThatThrownBy(() -> AlertRules.builder().pending(-1).build())
                .isInstanceOf(PostriderException.class)
                .hasMessage("alerts.pending is -1; it must be a whole number of 0 or more, or off.");
    }

    // ---- its thread and its channels

    @Test
    void startedMonitorTellsADeadLetterWithoutWaitingForItsInterval() {
        monitor = monitor(AlertRules.builder().interval(Duration.ofHours(1)).build());
        monitor.start();
        try {
            monitor.dead(1, "no");
            await().until(() -> channel.size() == 1);

            monitor.dead(2, "no");
            await().until(() -> channel.size() == 2);
        } finally {
            monitor.close();
        }
    }

    @Test
    void closingTellsWhatIsStillUntoldAndClosesTheChannels() {
        monitor.start();
        for (int id = 1; id <= 30; id++) {
            monitor.dead(id, "no");
        }
        monitor.close();

        assertThat(channel.take()).hasSize(21);
        assertThat(channel.isClosed()).isTrue();
    }

    @Test
    void channelThatThrowsDoesNotKeepOthersFromBeingTold() {
        monitor = new AlertMonitor(
                "one",
                "orders",
                AlertRules.defaults(),
                List.of(
                        alert -> {
                            throw new IllegalStateException("broken");
                        },
                        channel));
        monitor.dead(1, "no");
        look();

        assertThat(channel.take()).hasSize(1);
    }

    private AlertMonitor monitor(AlertRules rules) {
        return new AlertMonitor("one", "orders", rules, List.of(channel));
    }

    private void fail(int times) {
        for (int i = 0; i < times; i++) {
            monitor.failed(EVENT, "no", true);
        }
    }

    private void look() {
        monitor.runOnce(now);
    }

    /** Looks around if a minute has passed since the last look; what is urgent is told in any case. */
    private void runAfter(Duration time) {
        now = now.plus(time);
        monitor.runOnce(now);
    }
}
