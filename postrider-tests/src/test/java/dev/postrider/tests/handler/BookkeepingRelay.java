package dev.postrider.tests.handler;

import dev.postrider.Inbox;
import dev.postrider.OutboxEvent;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.failure.Backoff;
import dev.postrider.publish.handler.HandlerPublisher;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A relay with a handler as a process, which books amounts, each in one transaction with its mark. The process ends at once the
 * first time it meets an event {@code 1001}, between its work and the commit, or {@code 1002}, between the commit and its return.
 */
final class BookkeepingRelay {
    static final int ENDS_BEFORE_COMMIT = 1001;
    static final int ENDS_AFTER_COMMIT = 1002;

    private static final Inbox INBOX = Inbox.of("bookkeeping");

    private final DataSource dataSource;
    private final Path directory;

    private BookkeepingRelay(DataSource dataSource, Path directory) {
        this.dataSource = dataSource;
        this.directory = directory;
    }

    /**
     * @param args JDBC URL, user, password, a directory to remember in what was met
     */
    public static void main(String[] args) throws SQLException {
        DataSource dataSource = dataSource(args[0], args[1], args[2]);
        BookkeepingRelay bookkeeping = new BookkeepingRelay(dataSource, Path.of(args[3]));
        Relay.builder(
                        dataSource,
                        HandlerPublisher.builder()
                                .on("acme.transfer.completed.v1", bookkeeping::book)
                                .build())
                .settings(RelaySettings.builder()
                        .name("bookkeeping")
                        .pollInterval(Duration.ofMillis(50))
                        .leaseLength(Duration.ofSeconds(2))
                        .retry(new Backoff(Duration.ofMillis(50), 1, Duration.ofMillis(50), 0, 1000))
                        .build())
                .build()
                .start();
    }

    private void book(OutboxEvent event) throws Exception {
        int amount = Integer.parseInt(event.payload().text());
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            if (INBOX.mark(connection, event.id().toString())) {
                try (PreparedStatement insert =
                        connection.prepareStatement("insert into booking (account, amount) values (?, ?)")) {
                    insert.setString(1, event.aggregateId());
                    insert.setInt(2, amount);
                    insert.executeUpdate();
                }
                if (amount == ENDS_BEFORE_COMMIT && isFirstTime(amount)) {
                    Runtime.getRuntime().halt(3);
                }
            }
            connection.commit();
            if (amount == ENDS_AFTER_COMMIT && isFirstTime(amount)) {
                Runtime.getRuntime().halt(3);
            }
        }
    }

    private boolean isFirstTime(int amount) throws IOException {
        try {
            Files.createFile(directory.resolve("met-" + amount));
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
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
}
