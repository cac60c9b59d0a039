package dev.postrider.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.internal.store.log.LogStore.Shares.Member;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FairShareTest {
    private static final Member FIRST = new Member("first", "closed", false);
    private static final Member SECOND = new Member("second", "closed", false);

    @Test
    void relaysShareEvenlyAndTheOldestHaveTheRest() {
        assertThat(shares(8, FIRST, SECOND, new Member("third", "closed", false)))
                .containsExactly(3, 3, 2);
        assertThat(FairShare.of("not there yet", List.of(FIRST, SECOND), 4)).isEqualTo(2);
        assertThat(FairShare.of("alone", List.of(), 4)).isEqualTo(4);
    }

    @Test
    void circuitThatHasJustOpenedChangesNothing() {
        assertThat(shares(4, FIRST, new Member("sick", "open", false))).containsExactly(2, 2);
    }

    @Test
    void relayThatHasFailedForAWhileHasNothingAsLongAsAnotherIsWell() {
        assertThat(shares(5, FIRST, new Member("sick", "open", true), SECOND)).containsExactly(3, 0, 2);
    }

    @Test
    void relayThatTriesAgainHasOneShardForIt() {
        assertThat(shares(4, FIRST, new Member("sick", "half-open", true))).containsExactly(3, 1);
        assertThat(shares(4, FIRST, new Member("sick", "half-open", true), new Member("worse", "half-open", true)))
                .containsExactly(2, 1, 1);
        assertThat(shares(2, FIRST, new Member("sick", "half-open", true), SECOND))
                .as("everybody who is well keeps one")
                .containsExactly(1, 0, 1);
    }

    @Test
    void relaysShareEvenlyIfNoneIsWell() {
        assertThat(shares(4, new Member("sick", "open", true), new Member("worse", "half-open", true)))
                .containsExactly(2, 2);
        assertThat(shares(4, new Member("sick", "open", true), new Member("falling ill", "open", false)))
                .containsExactly(2, 2);
    }

    private static List<Integer> shares(int shards, Member... relays) {
        return Stream.of(relays)
                .map(relay -> FairShare.of(relay.owner(), List.of(relays), shards))
                .toList();
    }
}
