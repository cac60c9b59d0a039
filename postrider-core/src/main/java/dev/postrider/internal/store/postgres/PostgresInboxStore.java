package dev.postrider.internal.store.postgres;

import static dev.postrider.internal.store.postgres.Columns.bind;
import static dev.postrider.internal.store.postgres.Columns.column;

import dev.postrider.OutboxTable;
import dev.postrider.internal.store.InboxStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** An inbox on PostgreSQL. Locks are the database's own, by the hash of their name. */
final class PostgresInboxStore implements InboxStore {
    private static final String MARK = """
            insert into {inbox} (consumer, subject)
            select ?, subject from unnest(?::text[]) as s(subject)
            on conflict do nothing
            returning subject
            """;

    private static final String KEEP_OUTCOME = "update {inbox} set outcome = ? where consumer = ? and subject = ?";

    private static final String OUTCOME = "select outcome from {inbox} where consumer = ? and subject = ?";

    private static final String PURGE = """
            delete from {inbox} where (consumer, subject) in (
                select consumer, subject from {inbox}
                where consumer = ? and handled_at < clock_timestamp() - ? * interval '1 microsecond'
                order by handled_at
                limit ?
                for update skip locked)
            """;

    private static final String LOCK = "select pg_advisory_xact_lock(hashtextextended('postrider:' || ?, 0))";

    private static final String TRY_LOCK = "select pg_try_advisory_xact_lock(hashtextextended('postrider:' || ?, 0))";

    private final String mark;
    private final String keepOutcome;
    private final String outcome;
    private final String purge;

    PostgresInboxStore(OutboxTable table) {
        this.mark = MARK.replace("{inbox}", table.sql());
        this.keepOutcome = KEEP_OUTCOME.replace("{inbox}", table.sql());
        this.outcome = OUTCOME.replace("{inbox}", table.sql());
        this.purge = PURGE.replace("{inbox}", table.sql());
    }

    @Override
    public Set<String> mark(Connection connection, String consumer, SortedSet<String> subjects) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(mark)) {
            bind(insert, consumer, column("text", subjects, subject -> subject));
            try (ResultSet row = insert.executeQuery()) {
                Set<String> marked = new HashSet<>();
                while (row.next()) {
                    marked.add(row.getString(1));
                }
                return marked;
            }
        }
    }

    @Override
    public void keepOutcome(Connection connection, String consumer, String subject, String text) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(keepOutcome)) {
            bind(update, text, consumer, subject);
            update.executeUpdate();
        }
    }

    @Override
    public @Nullable String outcome(Connection connection, String consumer, String subject) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(outcome)) {
            bind(select, consumer, subject);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }

    @Override
    public int purge(Connection connection, String consumer, Duration age, int limit) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(purge)) {
            bind(delete, consumer, age.toNanos() / 1_000, limit);
            return delete.executeUpdate();
        }
    }

    @Override
    public void lock(Connection connection, SortedSet<String> names) throws SQLException {
        try (PreparedStatement lock = connection.prepareStatement(LOCK)) {
            for (String name : names) {
                bind(lock, name);
                lock.execute();
            }
        }
    }

    @Override
    public boolean tryLock(Connection connection, String name) throws SQLException {
        try (PreparedStatement lock = connection.prepareStatement(TRY_LOCK)) {
            bind(lock, name);
            try (ResultSet row = lock.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        }
    }
}
