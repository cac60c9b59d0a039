package dev.postrider.testing;

import dev.postrider.internal.store.InboxStore;
import dev.postrider.testing.MemoryMarks.Subject;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** An inbox in memory. Any thread with its own connection. */
final class MemoryInbox implements InboxStore {
    private final MemoryDatabase database;
    private final String name;

    MemoryInbox(MemoryDatabase database, String name) {
        this.database = database;
        this.name = name;
    }

    private record NamedLock(String name) {}

    @Override
    public Set<String> mark(Connection connection, String consumer, SortedSet<String> subjects) throws SQLException {
        synchronized (database) {
            MemoryTransaction transaction = MemoryConnection.of(connection).transaction();
            Set<String> fresh = new LinkedHashSet<>();
            for (String subject : subjects) {
                Subject mark = new Subject(name, consumer, subject);
                // Who holds it may yet undo it, so that it is seen by those only who have waited for him.
                database.hold(transaction, mark);
                if (database.marks().add(mark, database.now())) {
                    fresh.add(subject);
                    transaction.add(() -> {}, () -> database.marks().remove(mark));
                }
            }
            return fresh;
        }
    }

    @Override
    public void keepOutcome(Connection connection, String consumer, String subject, String outcome) {
        synchronized (database) {
            // The mark is this transaction's own: undoing it forgets this too.
            database.marks().keep(new Subject(name, consumer, subject), outcome);
        }
    }

    @Override
    public @Nullable String outcome(Connection connection, String consumer, String subject) {
        synchronized (database) {
            return database.marks().outcome(new Subject(name, consumer, subject));
        }
    }

    @Override
    public int purge(Connection connection, String consumer, Duration age, int limit) {
        synchronized (database) {
            return database.marks().purge(name, consumer, database.now().minus(age), limit, database::isHeld);
        }
    }

    @Override
    public void lock(Connection connection, SortedSet<String> locks) throws SQLException {
        synchronized (database) {
            for (String lock : locks) {
                database.hold(MemoryConnection.of(connection).transaction(), new NamedLock(lock));
            }
        }
    }

    @Override
    public boolean tryLock(Connection connection, String lock) throws SQLException {
        synchronized (database) {
            return database.tryHold(MemoryConnection.of(connection).transaction(), new NamedLock(lock));
        }
    }
}
