package dev.postrider.internal.spring.relay;

import dev.postrider.CommitNotifier;
import dev.postrider.OutboxTable;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Tells relays in other processes of commits. Takes a connection when there is the first to tell of. Any thread. */
final class OtherRelays implements AutoCloseable {
    private final DataSource dataSource;
    private final OutboxTable table;
    private volatile @Nullable CommitNotifier notifier;
    private boolean closed;

    OtherRelays(DataSource dataSource, OutboxTable table) {
        this.dataSource = dataSource;
        this.table = table;
    }

    void committed() {
        CommitNotifier known = notifier;
        if (known == null) {
            known = start();
        }
        if (known != null) {
            known.committed();
        }
    }

    private synchronized @Nullable CommitNotifier start() {
        if (notifier == null && !closed) {
            notifier = CommitNotifier.start(dataSource, table);
        }
        return notifier;
    }

    @Override
    public synchronized void close() {
        closed = true;
        CommitNotifier known = notifier;
        if (known != null) {
            known.close();
        }
    }
}
