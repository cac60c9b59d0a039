package dev.postrider.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Each fault is found, and what is allowed is not taken for one. Times are small numbers here. */
class DeliveryProofTest {
    private final DeliveryProof proof = new DeliveryProof();
    private long clock;
    private long transactions;

    @Test
    void nothingIsFoundIfEverythingArrivesOnceAndInOrder() {
        UUID a = commit("k");
        UUID b = commit("k");
        UUID other = commit("other");
        receive(other, a, b);

        DeliveryProof.Verdict verdict = proof.verdict();
        assertThat(verdict.isKept()).isTrue();
        assertThat(verdict).isEqualTo(new DeliveryProof.Verdict(3, 0, 3, 0, 0, 0, 0, List.of()));
    }

    @Test
    void committedEventThatNeverArrivesIsLost() {
        UUID a = commit("k");
        UUID b = commit("k");
        receive(b);

        assertThat(proof.missing()).isEqualTo(1);
        assertThat(proof.someMissing(10)).containsOnlyKeys(a);
        assertThat(proof.verdict().lost()).isEqualTo(1);
        assertThat(proof.verdict().isKept()).isFalse();
        assertThat(proof.verdict().examples()).singleElement().asString().contains("lost", a.toString());
    }

    @Test
    void secondDeliveryIsADuplicateAndNothingElse() {
        UUID a = commit("k");
        UUID b = commit("k");
        receive(a, b, a, a);

        assertThat(proof.verdict().duplicates()).isEqualTo(2);
        assertThat(proof.deliveriesOf(a)).isEqualTo(3);
        assertThat(proof.deliveriesOf(b)).isEqualTo(1);
        assertThat(proof.someRepeated(10)).containsOnlyKeys(a);
        assertThat(proof.verdict().received()).isEqualTo(2);
        assertThat(proof.verdict().reordered()).as("a came first, too").isZero();
        assertThat(proof.verdict().isKept()).as("at least once").isTrue();
    }

    @Test
    void eventDeliveredBeforeAnEarlierOneOfItsKeyIsReordered() {
        UUID a = commit("k");
        UUID b = commit("k");
        receive(b, a);

        assertThat(proof.verdict().reordered()).isEqualTo(1);
        assertThat(proof.verdict().isKept()).isFalse();
        assertThat(proof.verdict().examples())
                .singleElement()
                .asString()
                .contains("reordered", b + " came before " + a);
    }

    @Test
    void reorderIsFoundHoweverManyEventsLieBetween() {
        List<UUID> events = commitMany("k", 100);
        UUID first = events.remove(0);
        receive(events.toArray(UUID[]::new));
        receive(first);

        assertThat(proof.verdict().reordered()).isEqualTo(99);
    }

    @Test
    void eachReorderedEventCountsOnceHoweverManyItOvertook() {
        List<UUID> events = commitMany("k", 100);
        UUID last = events.remove(99);
        receive(last);
        receive(events.toArray(UUID[]::new));

        assertThat(proof.verdict().reordered()).isEqualTo(1);
    }

    @Test
    void earlierDuplicateDoesNotHideAReorder() {
        UUID a = commit("k");
        UUID b = commit("k");
        receive(b, a, b);

        assertThat(proof.verdict().reordered()).isEqualTo(1);
        assertThat(proof.verdict().duplicates()).isEqualTo(1);
    }

    @Test
    void differentKeysHaveNoOrder() {
        UUID a = commit("k");
        UUID b = commit("other");
        receive(b, a);

        assertThat(proof.verdict().isKept()).isTrue();
    }

    @Test
    void overlappingTransactionsHaveNoOrder() {
        UUID a = UUID.randomUUID();
        UUID b = UUID.randomUUID();
        proof.written(a, "k", 1, 1, 0);
        proof.written(b, "k", 2, 2, 0);
        proof.committed(1, 3);
        proof.committed(2, 4);
        receive(b, a);

        assertThat(proof.verdict().isKept()).isTrue();
    }

    @Test
    void insertThatBeganRightAfterTheCommitReturnedComesLater() {
        UUID a = UUID.randomUUID();
        UUID b = UUID.randomUUID();
        proof.written(a, "k", 1, 1, 0);
        proof.committed(1, 3);
        proof.written(b, "k", 4, 2, 0);
        proof.committed(2, 5);
        receive(b, a);

        assertThat(proof.verdict().reordered()).isEqualTo(1);
    }

    @Test
    void eventsOfOneTransactionKeepTheOrderOfTheirInserts() {
        UUID a = UUID.randomUUID();
        UUID b = UUID.randomUUID();
        UUID c = UUID.randomUUID();
        proof.written(a, "k", 1, 1, 0);
        proof.written(b, "k", 1, 1, 1);
        proof.written(c, "k", 1, 1, 2);
        proof.committed(1, 2);
        receive(b, a, c);

        assertThat(proof.verdict().reordered()).isEqualTo(1);
    }

    @Test
    void eventsOfOneTransactionWithDifferentKeysHaveNoOrder() {
        UUID a = UUID.randomUUID();
        UUID b = UUID.randomUUID();
        proof.written(a, "k", 1, 1, 0);
        proof.written(b, "other", 1, 1, 1);
        proof.committed(1, 2);
        receive(b, a);

        assertThat(proof.verdict().isKept()).isTrue();
    }

    @Test
    void rolledBackEventThatArrivesIsAPhantom() {
        UUID a = UUID.randomUUID();
        proof.written(a, "k", 1, 1, 0);
        proof.rolledBack(1);
        assertThat(proof.verdict().isKept()).isTrue();
        receive(a);

        assertThat(proof.verdict().phantom()).isEqualTo(1);
        assertThat(proof.verdict().rolledBack()).isEqualTo(1);
        assertThat(proof.verdict().isKept()).isFalse();
    }

    @Test
    void eventNobodyWroteIsAPhantom() {
        receive(UUID.randomUUID());

        assertThat(proof.verdict().phantom()).isEqualTo(1);
        assertThat(proof.verdict().isKept()).isFalse();
    }

    @Test
    void eventOfACommitInDoubtMayArriveOrNot() {
        UUID arrives = UUID.randomUUID();
        UUID doesNot = UUID.randomUUID();
        proof.written(arrives, "k", 1, 1, 0);
        proof.inDoubt(1);
        proof.written(doesNot, "k", 2, 2, 0);
        proof.inDoubt(2);
        receive(arrives);

        assertThat(proof.verdict().isKept()).isTrue();
        assertThat(proof.missing()).isZero();
    }

    @Test
    void eventInDoubtMustNotOvertakeWhatWasCommittedBefore() {
        UUID a = commit("k");
        UUID inDoubt = UUID.randomUUID();
        proof.written(inDoubt, "k", ++clock, 99, 0);
        proof.inDoubt(99);
        receive(inDoubt, a);

        assertThat(proof.verdict().reordered()).isEqualTo(1);
    }

    @Test
    void eventReceivedBeforeItsCommitReturnsIsNotMissing() {
        UUID a = UUID.randomUUID();
        proof.written(a, "k", 1, 1, 0);
        receive(a);
        proof.committed(1, 9);

        assertThat(proof.missing()).isZero();
        assertThat(proof.timingSince(0).commitToDelivery()).containsExactly(0);
    }

    @Test
    void timingLeavesOutWhatWasWrittenEarlier() {
        proof.written(UUID.randomUUID(), "k", 1, 1, 0);
        UUID measured = UUID.randomUUID();
        proof.written(measured, "k", 10, 2, 0);
        proof.committed(1, 2);
        proof.committed(2, 12);
        proof.received(measured, 17);

        assertThat(proof.timingSince(10).commitToDelivery()).containsExactly(5);
        assertThat(proof.timingSince(10).elapsed()).isEqualTo(Duration.ofNanos(7));
    }

    @Test
    void usingItWronglyIsNoticed() {
        UUID a = commit("k");
        assertThatThrownBy(() -> proof.written(a, "k", 1, 7, 0)).hasMessageContaining("already");
        assertThatThrownBy(() -> proof.committed(0, 1)).hasMessageContaining("already");
        assertThatThrownBy(() -> proof.rolledBack(99)).hasMessageContaining("wrote nothing");
    }

    /** Against a comparison of every pair, on histories in which everything overlaps. */
    @Test
    void agreesWithTheDefinitionOnRandomHistories() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int run = 0; run < 300; run++) {
            History history = History.random(random);
            assertThat(history.proof().verdict().reordered())
                    .as("seed " + seed + ", run " + run)
                    .isEqualTo(history.reorderedByDefinition());
        }
    }

    private record Event(UUID id, String key, long insertBegan, long committed, long tx, int index) {
        boolean precedes(Event later) {
            return key.equals(later.key) && (committed < later.insertBegan || (tx == later.tx && index < later.index));
        }
    }

    private record History(List<Event> events, List<UUID> deliveries) {
        static History random(Random random) {
            List<Event> events = new ArrayList<>();
            for (int tx = 0; tx < 12; tx++) {
                long insert = random.nextInt(40);
                long committed = insert + 1 + random.nextInt(12);
                for (int index = 0; index <= random.nextInt(3); index++) {
                    events.add(new Event(UUID.randomUUID(), "key-" + random.nextInt(3), insert, committed, tx, index));
                }
            }
            List<UUID> deliveries =
                    new ArrayList<>(events.stream().map(Event::id).toList());
            for (int swaps = random.nextInt(8); swaps > 0; swaps--) {
                Collections.swap(deliveries, random.nextInt(deliveries.size()), random.nextInt(deliveries.size()));
            }
            return new History(events, deliveries);
        }

        DeliveryProof proof() {
            DeliveryProof proof = new DeliveryProof();
            events.forEach(
                    event -> proof.written(event.id(), event.key(), event.insertBegan(), event.tx(), event.index()));
            events.stream()
                    .filter(event -> event.index() == 0)
                    .forEach(event -> proof.committed(event.tx(), event.committed()));
            deliveries.forEach(id -> proof.received(id, 100));
            return proof;
        }

        long reorderedByDefinition() {
            return events.stream()
                    .filter(later -> events.stream()
                            .anyMatch(earlier -> earlier.precedes(later)
                                    && deliveries.indexOf(earlier.id()) > deliveries.indexOf(later.id())))
                    .count();
        }
    }

    private UUID commit(String key) {
        UUID id = UUID.randomUUID();
        long tx = transactions++;
        proof.written(id, key, ++clock, tx, 0);
        proof.committed(tx, ++clock);
        return id;
    }

    private List<UUID> commitMany(String key, int count) {
        List<UUID> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(commit(key));
        }
        return events;
    }

    private void receive(UUID... ids) {
        for (UUID id : ids) {
            proof.received(id, ++clock);
        }
    }
}
