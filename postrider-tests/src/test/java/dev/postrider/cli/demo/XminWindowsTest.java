package dev.postrider.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.AssembledRelay;
import dev.postrider.tests.support.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Why windows end at whole snapshots. The same relay on the same writers, once as it is and once with windows that end
 * below the oldest running transaction: the latter loses nothing, and delivers keys out of order.
 */
class XminWindowsTest {
    private static final int TRANSACTIONS = 60;
    private static final int ROUNDS = 10;

    private final long seed = Long.getLong("postrider.seed", System.nanoTime());

    @Test
    void windowsBelowTheOldestRunningTransactionReorderKeysAndWholeSnapshotsDoNot() throws Exception {
        System.out.println("seed: -Dpostrider.seed=" + seed);
        OutboxLayout layout = OutboxLayout.log(1);
        LogStore real =
                Databases.of(DatabaseFamily.POSTGRESQL).logStore(OutboxTable.DEFAULT, layout, ContentHash.sha256());
        long reordered = 0;
        for (int round = 0; round < ROUNDS && reordered == 0; round++) {
            DeliveryProof.Verdict whole = verdict(layout, real, seed + round);
            assertThat(whole.isKept()).as("seed " + seed + ": " + whole).isTrue();

            DeliveryProof.Verdict xmin = verdict(layout, endingAtXmin(real), seed + round);
            assertThat(xmin.lost()).as("seed " + seed + ": " + xmin).isZero();
            reordered += xmin.reordered();
        }

        assertThat(reordered).as("seed " + seed).isPositive();
    }

    private static DeliveryProof.Verdict verdict(OutboxLayout layout, LogStore store, long seed) throws Exception {
        DeliveryProof proof = new DeliveryProof();
        try (TestDatabase database = TestDatabase.withOutbox(layout);
                AssembledRelay relay = new AssembledRelay(
                        new AssembledRelay.Parts(store, database.dataSource(), database.dataSource()),
                        RecordingPublisher.answering(event -> {
                            proof.received(event.id(), System.nanoTime());
                            return new PublishResult.Accepted();
                        }),
                        RelaySettings.builder()
                                .name("relay")
                                .batchSize(20)
                                .leaseLength(Duration.ofMinutes(1))
                                .pollInterval(Duration.ofMillis(5))
                                .build(),
                        new RelayListener() {})) {
            relay.start();
            new RandomWriters(database, proof, seed).start(TRANSACTIONS).forEach(CompletableFuture::join);
            await().atMost(Duration.ofMinutes(1)).until(() -> proof.missing() == 0);
            return proof.verdict();
        }
    }

    /** The snapshot that a single number makes: everything below the oldest running transaction. */
    private static LogStore endingAtXmin(LogStore real) {
        return (LogStore) Proxy.newProxyInstance(
                XminWindowsTest.class.getClassLoader(), new Class<?>[] {LogStore.class}, (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(real, arguments);
                        return result instanceof LogStore.Head head ? belowXmin(head) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static LogStore.Head belowXmin(LogStore.Head head) {
        String xmin = head.snapshot().substring(0, head.snapshot().indexOf(':'));
        return new LogStore.Head(xmin + ":" + xmin + ":", head.ids(), head.server());
    }
}
