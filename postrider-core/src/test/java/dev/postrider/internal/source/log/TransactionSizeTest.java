package dev.postrider.internal.source.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxEvent;
import dev.postrider.internal.store.RowClaim;
import dev.postrider.internal.store.StoredEvent;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class TransactionSizeTest {
    private final TransactionSize size = new TransactionSize(Duration.ofHours(1));

    @Test
    void transactionThatIsUndoneIsFollowedByOneOfHalfItsSize() {
        assertThat(size.events(500)).isEqualTo(500);

        size.begin(events(400), true);
        assertThat(size.undone()).isTrue();

        assertThat(size.events(500)).isEqualTo(200);
    }

    /** The database may count more bytes for an event than are counted here, and then returns fewer events than would fit. */
    @Test
    void sizeGrowsAgainWhileEventsWaitHoweverFewFitted() {
        size.begin(events(4), true);
        size.undone();
        for (int i = 0; i < 80; i++) {
            size.begin(events(1), true);
            size.committed();
        }

        assertThat(size.events(500)).isEqualTo(500);
        assertThat(size.bytes(16_000)).isEqualTo(16_000);
    }

    @Test
    void sizeStaysWhileNothingElseWaits() {
        size.begin(events(4), true);
        size.undone();
        size.begin(events(1), false);
        size.committed();

        assertThat(size.events(500)).isEqualTo(2);
    }

    @Test
    void sizeStaysAfterATransactionThatTookLong() {
        TransactionSize impatient = new TransactionSize(Duration.ZERO);
        impatient.begin(events(4), true);
        impatient.undone();
        impatient.begin(events(2), true);
        impatient.committed();

        assertThat(impatient.events(500)).isEqualTo(2);
    }

    private static List<StoredEvent> events(int count) {
        OutboxEvent event = OutboxEvent.builder("acme.a.b.v1")
                .aggregate("a", "a")
                .json("{}")
                .build();
        return Collections.nCopies(count, new StoredEvent(new RowClaim(1, "", 0, 7, 0, 0, Duration.ZERO), event, 0));
    }
}
