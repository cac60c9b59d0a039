package dev.postrider.source;

import dev.postrider.OnPublished;
import dev.postrider.Ordering;
import dev.postrider.Split;
import dev.postrider.store.ClaimRequest;
import dev.postrider.store.Claimed;
import dev.postrider.store.OutboxStore;
import dev.postrider.store.Settlement;
import dev.postrider.store.jdbc.RelaySession;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Reads an outbox by claiming its rows, beside any number of competing relays. The row's version is
 * the fence: whoever lost a row cannot settle it.
 */
public final class ClaimSource implements EventSource {
    /** How far beyond its batch a claim may look when what it meets waits for events in flight. */
    private static final int MAX_SCAN_FACTOR = 8;

    /** So many rows are repaired in one statement, so that the relay's thread is soon back at its work. */
    private static final int REPAIR_LIMIT = 5_000;

    /** A gauge needs to know that it is much, not how much. */
    private static final int BACKLOG_CAP = 100_000;

    private final OutboxStore store;
    private final RelaySession session;
    private final Supplier<String> owner;
    private final Ordering ordering;
    private final OnPublished onPublished;
    private final Split split;
    private int scanFactor = 1;

    /**
     * @param owner the relay's current name, asked anew for each claim
     */
    public ClaimSource(
            OutboxStore store,
            RelaySession session,
            Supplier<String> owner,
            Ordering ordering,
            OnPublished onPublished,
            Split split) {
        this.store = store;
        this.session = session;
        this.owner = owner;
        this.ordering = ordering;
        this.onPublished = onPublished;
        this.split = split;
    }

    @Override
    public Fetched fetch(int maxEvents, long maxBytes) throws SQLException {
        int scan = maxEvents * scanFactor;
        ClaimRequest request = new ClaimRequest(owner.get(), ordering, scan, maxEvents, maxBytes, split);
        Claimed claimed = session.call(connection -> store.claim(connection, request));
        List<Settlement.Dead> dead = claimed.unreadable();
        if (!dead.isEmpty()) {
            List<Settlement> settlements = new ArrayList<>(dead);
            session.call(connection -> store.settle(connection, settlements, onPublished));
        }
        int moved = claimed.events().size() + dead.size() + claimed.held();
        boolean sawAll = claimed.seen() < scan;
        // Locking rows costs writes, so a claim looks further only while most of what it meets must wait.
        scanFactor = !sawAll && moved * 2 < claimed.seen() ? Math.min(scanFactor * 2, MAX_SCAN_FACTOR) : 1;
        boolean more = !sawAll && moved > 0;
        return new Fetched(claimed.events(), dead, more, !more && claimed.seen() > moved);
    }

    @Override
    public Set<Long> settle(List<Settlement> settlements) throws SQLException {
        return session.call(connection -> store.settle(connection, settlements, onPublished));
    }

    @Override
    public Repaired repair() throws SQLException {
        return session.call(connection -> new Repaired(
                store.recoverStalled(connection, REPAIR_LIMIT),
                ordering == Ordering.KEY ? store.releaseHeld(connection, REPAIR_LIMIT) : 0));
    }

    @Override
    public OutboxStore.Backlog backlog() throws SQLException {
        return session.call(connection -> store.backlog(connection, BACKLOG_CAP));
    }

    @Override
    public void close() {
        session.close();
    }
}
