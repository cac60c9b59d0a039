package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxLayout;
import dev.postrider.RelayListener;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.AssembledRelay;
import dev.postrider.tests.support.LogTables;
import dev.postrider.tests.support.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** A relay that takes a shard over, as after every new connection, looks only at the closed keys that can go on. */
class TakenOverKeysTest {
    @Test
    void onlyKeysWhoseFirstEventCanBeSentAreLookedAt() throws Exception {
        try (LogOutbox outbox = new LogOutbox(OutboxLayout.log(1))) {
            TestDatabase database = outbox.database();
            outbox.insertMany(40, 20);
            LogTables tables = new LogTables(database);
            tables.readAll();
            // Of each key the first event, and behind it one that could be sent.
            database.execute("insert into outbox_parked (outbox_id, shard, key_hash, state, holds, next_attempt_at)"
                    + " select id, 0, key_hash, case when id > 20 then 'QUEUED' else (array['DEAD', 'FAILED', 'FAILED',"
                    + " 'QUEUED'])[1 + id % 4] end, true, case when id > 20 then null when id % 4 = 1 then"
                    + " clock_timestamp() + interval '1 hour' when id % 4 = 2 then clock_timestamp() end from outbox");
            List<Long> sendable = keys(database, "where outbox_id <= 20 and outbox_id % 4 in (2, 3)");
            List<Long> stuck = keys(database, "where outbox_id <= 20 and outbox_id % 4 in (0, 1)");
            Set<Long> lookedAt = ConcurrentHashMap.newKeySet();
            RecordingPublisher publisher = RecordingPublisher.acceptingAll();
            try (AssembledRelay relay = new AssembledRelay(
                    new AssembledRelay.Parts(
                            watchingQueues(outbox.store(), lookedAt), database.dataSource(), database.dataSource()),
                    publisher,
                    LogOutbox.settings("relay").build(),
                    new RelayListener() {})) {
                relay.start();
                await().until(() -> publisher.accepted().size() == 20 && outbox.parked() == 20);

                assertThat(lookedAt).containsExactlyInAnyOrderElementsOf(sendable);

                database.execute("update outbox_parked set state = 'RETRY' where state = 'DEAD'");
                database.execute("update outbox_parked set next_attempt_at = clock_timestamp() where state = 'FAILED'");
                await().until(outbox::isDone);
                assertThat(lookedAt).containsAll(stuck);
            }
        }
    }

    private static List<Long> keys(TestDatabase database, String where) {
        return database.column("select key_hash from outbox_parked " + where).stream()
                .map(Long::valueOf)
                .toList();
    }

    private static LogStore watchingQueues(LogStore real, Set<Long> keys) {
        return (LogStore) Proxy.newProxyInstance(
                TakenOverKeysTest.class.getClassLoader(),
                new Class<?>[] {LogStore.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("queues")) {
                        for (Object request : (List<?>) arguments[1]) {
                            keys.add(((LogStore.QueueRequest) request).keyHash());
                        }
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
