package dev.postrider.tests.alter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.Delivery;
import dev.postrider.LayoutChange;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import dev.postrider.admin.LayoutRequest;
import dev.postrider.cli.demo.DeliveryProof;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.Torture;
import java.sql.Connection;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The layout changes while writers write; relays read before and after. */
@Tag(Torture.ONLY)
class BusyChangeTest {
    private static final LayoutRequest CLAIM = new LayoutRequest(OutboxMode.CLAIM, null, null);
    private static final LayoutRequest LOG = new LayoutRequest(OutboxMode.LOG, null, null);

    static Stream<Arguments> changes() {
        return Stream.of(
                Arguments.of(OutboxLayout.log(4), List.of(shards(1), shards(16))),
                Arguments.of(OutboxLayout.claim(), List.of(LOG)),
                Arguments.of(OutboxLayout.log(4), List.of(CLAIM)),
                Arguments.of(OutboxLayout.claim(), List.of(LOG, shards(3), CLAIM, LOG)));
    }

    private static LayoutRequest shards(int number) {
        return new LayoutRequest(null, number, null);
    }

    @ParameterizedTest
    @MethodSource("changes")
    void nothingIsLostDoubledOrReorderedByAChange(OutboxLayout first, List<LayoutRequest> requests) throws Exception {
        TestDatabase database = TestDatabase.withOutbox(first);
        try (BusyOutbox busy = new BusyOutbox(database)) {
            busy.startWriters();
            OutboxLayout layout = first;
            for (LayoutRequest request : requests) {
                busy.startRelays(2);
                busy.letRelays(300);
                busy.stopRelays();
                busy.letWriters(150);

                LayoutChange.builder(database.dataSource())
                        .progress(System.out::println)
                        .chunk(40)
                        .build()
                        .alter(request, "ann");

                layout = request.from(layout);
                try (Connection connection = database.dataSource().getConnection()) {
                    assertThat(Databases.of(connection).layout(connection, OutboxTable.DEFAULT))
                            .isEqualTo(layout);
                }
            }
            busy.startRelays(2);
            busy.letRelays(300);
            DeliveryProof.Verdict verdict = busy.finish();

            assertThat(verdict.isKept())
                    .as("seed " + busy.seed + ": " + verdict)
                    .isTrue();
            assertThat(verdict.duplicates()).as("seed " + busy.seed).isZero();
            assertThat(layout.delivery()).isEqualTo(Delivery.AT_LEAST_ONCE);
        }
    }
}
