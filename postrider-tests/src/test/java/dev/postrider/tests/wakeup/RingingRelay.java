package dev.postrider.tests.wakeup;

import dev.postrider.NetworkTimeouts;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.RelaySettings.Polling;
import dev.postrider.Replication;
import dev.postrider.WakeUp;
import dev.postrider.publish.Publisher;
import dev.postrider.testing.RecordingPublisher;
import java.time.Duration;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A relay that does not poll while a test runs: what it delivers, it was woken for. */
final class RingingRelay {
    static final Duration POLL_INTERVAL = Duration.ofMinutes(10);

    private RingingRelay() {}

    static Relay.Builder of(String name, DataSource dataSource, Publisher publisher, Replication replication) {
        return of(name, dataSource, publisher, WakeUp.WAL).replication(replication);
    }

    /** Its lease does not expire on a slow machine: it would look at the table when it has a new one. */
    static Relay.Builder of(String name, DataSource dataSource, Publisher publisher, WakeUp wakeUp) {
        return Relay.builder(dataSource, publisher)
                .settings(settings(name, wakeUp)
                        .leaseLength(Duration.ofSeconds(9))
                        .build());
    }

    private static RelaySettings.Builder settings(String name, WakeUp wakeUp) {
        return RelaySettings.builder()
                .name(name)
                .pollInterval(POLL_INTERVAL)
                .polling(Polling.FIXED)
                .wakeUp(wakeUp)
                // The second one is also how long the stream may be silent.
                .network(new NetworkTimeouts(Duration.ofSeconds(5), Duration.ofSeconds(4), Duration.ofSeconds(4)));
    }

    /**
     * A relay in a process of its own, to be killed. Its lease is short.
     *
     * @param args JDBC URL, user, password, name
     */
    public static void main(String[] args) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(args[0]);
        dataSource.setUser(args[1]);
        dataSource.setPassword(args[2]);
        of(args[3], dataSource, RecordingPublisher.acceptingAll(), Replication.to(args[0], args[1], args[2]))
                .settings(settings(args[3], WakeUp.WAL).build())
                .build()
                .start();
    }
}
