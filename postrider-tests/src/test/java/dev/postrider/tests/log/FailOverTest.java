package dev.postrider.tests.log;

import static org.awaitility.Awaitility.await;

import dev.postrider.RelayListener;
import dev.postrider.internal.store.log.Append;
import dev.postrider.internal.store.log.Cluster;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.AssembledRelay;
import dev.postrider.tests.support.CutDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A relay that finds another server behind its connections: one that has not received everything. */
class FailOverTest {
    private static final long LOST_IDS = 1000;

    private volatile boolean failedOver;

    @Test
    void whatWasKnownOfTheOldServersIdsIsForgotten() throws Exception {
        try (LogOutbox outbox = new LogOutbox(1)) {
            RecordingPublisher publisher = RecordingPublisher.answering(event -> {
                if (event.payload().text().equals("2")) {
                    // It belongs to the next window, and the new server has marked nothing before that.
                    outbox.insert("a", 3);
                }
                return new PublishResult.Accepted();
            });
            CutDataSource network = new CutDataSource(outbox.database().dataSource());
            try (AssembledRelay relay = new AssembledRelay(
                    new AssembledRelay.Parts(
                            aheadOfItsReplica(outbox.store()),
                            network.dataSource(),
                            outbox.database().dataSource()),
                    publisher,
                    LogOutbox.settings("relay").build(),
                    new RelayListener() {})) {
                outbox.insert("a", 1);
                relay.start();
                await().until(outbox::isDone);

                network.cut();
                failedOver = true;
                network.mend();

                outbox.insert("a", 2);

                await().until(() -> publisher.acceptedBodies().contains("3") && outbox.isDone());
            }
        }
    }

    /** Until the fail-over it has given out ids that the replica never hears of; nor of the floors written with them. */
    private LogStore aheadOfItsReplica(LogStore real) {
        return (LogStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LogStore.class}, (proxy, method, arguments) -> {
                    try {
                        if (method.getName().equals("fence")) {
                            arguments[4] = LogStore.Floor.NONE;
                        } else if (method.getName().equals("append")) {
                            arguments[3] = withoutFloors((LogStore.Recording) arguments[3]);
                        }
                        return seenByTheRelay(method.invoke(real, arguments));
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static LogStore.Recording withoutFloors(LogStore.Recording recording) {
        List<Append> appends = recording.appends().stream()
                .map(one -> new Append(
                        one.shard(), one.seq(), one.position(), LogStore.Floor.NONE, one.batch(), one.changes()))
                .toList();
        return new LogStore.Recording(appends, recording.holdDeadKeys(), recording.unlettered(), recording.durable());
    }

    private Object seenByTheRelay(Object result) {
        if (result instanceof Cluster cluster && failedOver) {
            return new Cluster(cluster.systemId(), cluster.timeline() + 1);
        }
        return result instanceof LogStore.Head head && !failedOver
                ? new LogStore.Head(
                        head.snapshot(),
                        new LogStore.Floor(head.ids().sequence(), head.lastId() + LOST_IDS),
                        head.server())
                : result;
    }
}
