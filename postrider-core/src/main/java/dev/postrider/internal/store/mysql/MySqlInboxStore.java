package dev.postrider.internal.store.mysql;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.postrider.OutboxTable;
import dev.postrider.internal.store.InboxStore;
import dev.postrider.internal.store.jdbc.Transaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** An inbox on MariaDB or MySQL. */
final class MySqlInboxStore implements InboxStore {
    private static final String MARK = """
            insert into {inbox} (consumer, subject, token) values {rows}
            on duplicate key update token = token
            """;

    private static final String MARKED_BY = """
            select subject from {inbox} where consumer = ? and token = ? and subject in ({subjects})
            """;

    private static final String KEEP_OUTCOME = "update {inbox} set outcome = ? where consumer = ? and subject = ?";

    /** A locking read: it sees what was committed last, whenever the caller's transaction began to look. */
    private static final String OUTCOME =
            "select outcome from {inbox} where consumer = ? and subject = ? lock in share mode";

    /** What somebody is just looking at is left for the next time. */
    private static final String LOCK_OLD = """
            select subject from {inbox}
            where consumer = ? and handled_at < utc_timestamp(6) - interval ? microsecond
            order by handled_at
            limit ?
            for update skip locked
            """;

    private static final String DELETE = "delete from {inbox} where consumer = ? and subject in ({subjects})";

    private final OutboxTable table;
    private final LockSlots locks;

    MySqlInboxStore(OutboxTable table) {
        this.table = table;
        this.locks = new LockSlots(table);
    }

    private String sql(String statement) {
        return statement.replace("{inbox}", MySqlSql.quoted(table.sql()));
    }

    /**
     * One at a time marks a single subject: if a transaction undoes its mark, all that wait for it would be let in
     * together, and all but one end as a deadlock. Batches are too many for that, and may have to be tried again.
     */
    @Override
    public Set<String> mark(Connection connection, String consumer, SortedSet<String> subjects) throws SQLException {
        if (subjects.size() == 1) {
            locks.hold(connection, List.of(consumer + '/' + subjects.first()));
        }
        long token = ThreadLocalRandom.current().nextLong();
        String rows = String.join(", ", Collections.nCopies(subjects.size(), "(?, ?, ?)"));
        try (PreparedStatement insert = connection.prepareStatement(sql(MARK).replace("{rows}", rows))) {
            int next = 1;
            for (String subject : subjects) {
                insert.setBytes(next++, consumer.getBytes(UTF_8));
                insert.setBytes(next++, subject.getBytes(UTF_8));
                insert.setLong(next++, token);
            }
            insert.executeUpdate();
        }
        return markedBy(connection, consumer, subjects, token);
    }

    private Set<String> markedBy(Connection connection, String consumer, SortedSet<String> subjects, long token)
            throws SQLException {
        String places = String.join(", ", Collections.nCopies(subjects.size(), "?"));
        try (PreparedStatement select =
                connection.prepareStatement(sql(MARKED_BY).replace("{subjects}", places))) {
            int next = 1;
            select.setBytes(next++, consumer.getBytes(UTF_8));
            select.setLong(next++, token);
            for (String subject : subjects) {
                select.setBytes(next++, subject.getBytes(UTF_8));
            }
            try (ResultSet row = select.executeQuery()) {
                Set<String> marked = new HashSet<>();
                while (row.next()) {
                    marked.add(new String(row.getBytes(1), UTF_8));
                }
                return marked;
            }
        }
    }

    @Override
    public void keepOutcome(Connection connection, String consumer, String subject, String outcome)
            throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(sql(KEEP_OUTCOME))) {
            update.setString(1, outcome);
            update.setBytes(2, consumer.getBytes(UTF_8));
            update.setBytes(3, subject.getBytes(UTF_8));
            update.executeUpdate();
        }
    }

    @Override
    public @Nullable String outcome(Connection connection, String consumer, String subject) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql(OUTCOME))) {
            select.setBytes(1, consumer.getBytes(UTF_8));
            select.setBytes(2, subject.getBytes(UTF_8));
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }

    @Override
    public int purge(Connection connection, String consumer, Duration age, int limit) throws SQLException {
        int isolation = connection.getTransactionIsolation();
        // No locks between the marks, or new ones would have to wait.
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        int deleted = Transaction.of(connection, () -> {
            List<byte[]> old = lockOld(connection, consumer, age, limit);
            return old.isEmpty() ? 0 : delete(connection, consumer, old);
        });
        connection.setTransactionIsolation(isolation);
        return deleted;
    }

    private List<byte[]> lockOld(Connection connection, String consumer, Duration age, int limit) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql(LOCK_OLD))) {
            select.setBytes(1, consumer.getBytes(UTF_8));
            select.setLong(2, age.toNanos() / 1_000);
            select.setInt(3, limit);
            try (ResultSet row = select.executeQuery()) {
                List<byte[]> subjects = new ArrayList<>();
                while (row.next()) {
                    subjects.add(row.getBytes(1));
                }
                return subjects;
            }
        }
    }

    private int delete(Connection connection, String consumer, List<byte[]> subjects) throws SQLException {
        String places = String.join(", ", Collections.nCopies(subjects.size(), "?"));
        try (PreparedStatement delete = connection.prepareStatement(sql(DELETE).replace("{subjects}", places))) {
            int next = 1;
            delete.setBytes(next++, consumer.getBytes(UTF_8));
            for (byte[] subject : subjects) {
                delete.setBytes(next++, subject);
            }
            return delete.executeUpdate();
        }
    }

    @Override
    public void lock(Connection connection, SortedSet<String> names) throws SQLException {
        locks.hold(connection, names);
    }

    @Override
    public boolean tryLock(Connection connection, String name) throws SQLException {
        return locks.tryHold(connection, name);
    }
}
