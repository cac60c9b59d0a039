package dev.postrider.tests.failure;

import dev.postrider.OutboxEvent;
import dev.postrider.Relay;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.failure.Backoff;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A relay as a process, whose destination is a table. An event {@code "halt"} ends the process at once; an
 * event {@code "slow"} is answered when a file appears, and an event {@code "refused"} is rejected until then. Of large
 * bodies only their beginning is delivered. Prints what could not be recorded.
 */
final class MortalRelay {
    private MortalRelay() {}

    /**
     * @param args JDBC URL, user, password, name, file, batch size
     */
    public static void main(String[] args) throws SQLException {
        DataSource dataSource = dataSource(args[0], args[1], args[2]);
        Relay relay = Relay.builder(dataSource, new TableDestination(dataSource, args[3], Path.of(args[4])))
                .settings(RelaySettings.builder()
                        .name(args[3])
                        .batchSize(Integer.parseInt(args[5]))
                        .retry(new Backoff(Duration.ofMillis(500), 1, Duration.ofMillis(500), 0, 10_000))
                        .pollInterval(Duration.ofMillis(50))
                        .leaseLength(Duration.ofSeconds(2))
                        .build())
                .listener(new RelayListener() {
                    @Override
                    public void fenced(int events) {
                        System.out.println("fenced " + events);
                    }
                })
                .build();
        relay.start();
    }

    private static DataSource dataSource(String url, String user, String password) throws SQLException {
        if (url.startsWith("jdbc:mariadb:")) {
            MariaDbDataSource mariaDb = new MariaDbDataSource(url);
            mariaDb.setUser(user);
            mariaDb.setPassword(password);
            return mariaDb;
        }
        PGSimpleDataSource postgres = new PGSimpleDataSource();
        postgres.setUrl(url);
        postgres.setUser(user);
        postgres.setPassword(password);
        return postgres;
    }

    /** The answer of a slow event comes in its own time, as from a pipeline that cannot be stopped. */
    private record TableDestination(DataSource dataSource, String name, Path file) implements Publisher {
        @Override
        public String destination(OutboxEvent event) {
            return "table";
        }

        @Override
        public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
            String body = event.payload().text();
            if (body.equals("\"halt\"")) {
                Runtime.getRuntime().halt(3);
            }
            if (body.equals("\"slow\"") && !Files.exists(file)) {
                return CompletableFuture.supplyAsync(() -> {
                    System.out.println("waiting");
                    while (!Files.exists(file)) {
                        LockSupport.parkNanos(1_000_000);
                    }
                    return deliver(event);
                });
            }
            if (body.equals("\"refused\"") && !Files.exists(file)) {
                return CompletableFuture.completedFuture(new PublishResult.Rejected("not yet", false));
            }
            return CompletableFuture.completedFuture(deliver(event));
        }

        private PublishResult deliver(OutboxEvent event) {
            try (Connection connection = dataSource.getConnection();
                    PreparedStatement insert =
                            connection.prepareStatement("insert into delivered (body, relay) values (?, ?)")) {
                String body = event.payload().text();
                insert.setString(
                        1, body.substring(0, Math.min(body.length(), 20)).strip());
                insert.setString(2, name);
                insert.executeUpdate();
                return new PublishResult.Accepted();
            } catch (SQLException e) {
                return new PublishResult.Unavailable(e.getMessage());
            }
        }
    }
}
