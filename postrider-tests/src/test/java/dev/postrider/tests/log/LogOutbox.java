package dev.postrider.tests.log;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.Relay;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.failure.Backoff;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.publish.Publisher;
import dev.postrider.tests.support.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** An outbox in log mode, and the relays that a test starts on it. */
final class LogOutbox implements AutoCloseable {
    private static final int CAP = 1_000_000;

    private final TestDatabase database;
    private final LogStore store;
    private final List<Relay> relays = new ArrayList<>();

    LogOutbox(int shards) {
        this(OutboxLayout.log(shards));
    }

    LogOutbox(OutboxLayout layout) {
        this.database = TestDatabase.withOutbox(layout);
        this.store =
                Databases.of(DatabaseFamily.POSTGRESQL).logStore(OutboxTable.DEFAULT, layout, ContentHash.sha256());
    }

    TestDatabase database() {
        return database;
    }

    LogStore store() {
        return store;
    }

    /** Looks often, retries soon, and has a lease that no busy machine lets lapse. */
    static RelaySettings.Builder settings(String name) {
        return RelaySettings.builder()
                .name(name)
                .pollInterval(Duration.ofMillis(20))
                .retry(retryAfter(Duration.ofMillis(20), 1000))
                .leaseLength(Duration.ofMinutes(1));
    }

    static Backoff retryAfter(Duration delay, int maxRetries) {
        return new Backoff(delay, 1, delay, 0, maxRetries);
    }

    /** Not started; stopped with this outbox. */
    Relay relay(Publisher publisher, RelaySettings.Builder settings, RelayListener listener) {
        Relay relay = Relay.builder(database.dataSource(), publisher)
                .settings(settings.build())
                .listener(listener)
                .build();
        relays.add(relay);
        return relay;
    }

    Relay start(Publisher publisher, RelaySettings.Builder settings) {
        Relay relay = relay(publisher, settings, new RelayListener() {});
        relay.start();
        return relay;
    }

    Relay start(Publisher publisher) {
        return start(publisher, settings("relay"));
    }

    /** One transaction each. */
    void insert(String key, int... bodies) {
        for (int body : bodies) {
            database.execute(insertion(key, Integer.toString(body)));
        }
    }

    static String insertion(String key, String body) {
        return "insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " values ('acme.a.b.v1', 'a', '" + key + "', '" + body + "')";
    }

    /** One transaction for all: {@code count} events with the bodies 1, 2, 3 … on so many keys. */
    void insertMany(int count, int keys) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " select 'acme.a.b.v1', 'a', 'key-' || n % " + keys + ", n::text::json"
                + " from generate_series(1, " + count + ") n");
    }

    /** Events that are ahead of the recorded cursors. */
    long ahead() {
        try (Connection connection = database.dataSource().getConnection()) {
            return store.lag(connection, CAP).stream()
                    .mapToLong(LogStore.Lag::events)
                    .sum();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    long parked() {
        return Long.parseLong(database.one("select count(*) from outbox_parked"));
    }

    boolean isDone() {
        return ahead() == 0 && parked() == 0;
    }

    /** State and body of every event beside the log, by id. */
    List<String> parkedStates() {
        return database.column("select f.state || ' ' || o.payload from outbox_parked f join outbox o"
                + " on o.id = f.outbox_id order by f.outbox_id");
    }

    @Override
    public void close() {
        relays.forEach(Relay::stop);
        database.close();
    }
}
