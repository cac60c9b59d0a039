package dev.postrider;

import dev.postrider.admin.AuditEntry;
import dev.postrider.admin.ClosedKey;
import dev.postrider.admin.DeadLetter;
import dev.postrider.admin.DeadLetterContent;
import dev.postrider.admin.DeadLetterPage;
import dev.postrider.admin.DeadLetterSelection;
import dev.postrider.admin.Discarded;
import dev.postrider.admin.OutboxLevels;
import dev.postrider.admin.ReplayExtent;
import dev.postrider.admin.ReplayReport;
import dev.postrider.admin.ReplayRequest;
import dev.postrider.admin.ReplayStoppedException;
import dev.postrider.admin.RestoreReport;
import dev.postrider.admin.Retried;
import dev.postrider.internal.admin.ReplayRun;
import dev.postrider.internal.admin.RestoreRun;
import dev.postrider.internal.store.AdminStore;
import dev.postrider.internal.store.AdminStore.PublishedEvent;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.OutboxStore.Backlog;
import dev.postrider.internal.store.SqlErrors;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.internal.store.jdbc.Database;
import dev.postrider.internal.store.jdbc.Explanation;
import dev.postrider.internal.store.jdbc.WalStream;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.publish.Publisher;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The operators' tools for one outbox. Relays and writers keep running meanwhile.
 *
 * <p>Every change is one transaction, with an entry in the audit table that says who did it, when by the
 * database's clock, what, to which events and how many; only {@link #replay}, which changes nothing, and
 * {@link #restore}, line by line, take longer than a transaction. Operators wait for each other. Stateless;
 * any thread.
 */
public final class OutboxAdmin {
    /** So much of a replay is in memory, and sent before its acknowledgements are awaited. */
    private static final int WINDOW_EVENTS = 500;

    private static final long WINDOW_BYTES = 16L << 20;

    private final DataSource dataSource;
    private final OutboxTable table;
    private final ContentHash hash;
    private final long maxEventBytes;

    private OutboxAdmin(Builder builder) {
        this.dataSource = builder.dataSource;
        this.table = builder.table;
        this.hash = builder.hash;
        this.maxEventBytes = builder.maxEventBytes;
    }

    public static Builder builder(DataSource dataSource) {
        return new Builder(dataSource);
    }

    // ---- looking

    /** The database's clock, which dates dead letters and audit entries. */
    public Instant databaseTime() {
        return call((connection, store) -> outbox(connection).now(connection));
    }

    /**
     * The layout of the outbox; the number of connections that a relay needs depends on it.
     *
     * @throws PostriderException if its tables are not complete, or of a version that cannot be used, or if it is being
     *     changed at the moment
     */
    public OutboxLayout layout() {
        try (Connection connection = dataSource.getConnection()) {
            return Databases.of(connection).layout(connection, table);
        } catch (SQLException e) {
            throw explain(e);
        }
    }

    /** The state of the outbox: its layout, its events by state, its relays, whether it is paused. */
    public OutboxStatus status() {
        return call((connection, store) -> {
            WalStream stream = Databases.of(connection).walStream(table);
            return outbox(connection)
                    .statusStore(connection)
                    .status(connection)
                    .with(stream == null ? null : stream.status(connection));
        });
    }

    /**
     * How much waits, for health checks and gauges, which ask often.
     *
     * @param cap where counting stops
     */
    public OutboxLevels levels(int cap) {
        return call((connection, store) -> {
            OutboxStore outbox = outbox(connection);
            Backlog backlog = outbox.statusStore(connection).backlog(connection, cap);
            return new OutboxLevels(
                    Math.min(backlog.count(), cap),
                    backlog.oldest(),
                    store.count(connection, DeadLetterSelection.all(), cap),
                    cap,
                    OutboxPause.parse(outbox.note(connection, OutboxPause.SETTING)));
        });
    }

    /**
     * Keys whose events wait behind one that failed, or behind a dead letter that keeps its key closed. Those that wait for a
     * destination are not among them: {@link OutboxStatus#blocked} has these. Of the dead letters only the latest 10 000 are
     * looked at.
     *
     * @param limit how many to list
     */
    public List<ClosedKey> closedKeys(int limit) {
        return call((connection, store) -> store.closedKeys(connection, limit));
    }

    /**
     * Dead letters, the latest first, without their payloads.
     *
     * @param limit how many to list; all that match are counted
     */
    public DeadLetterPage list(DeadLetterSelection selection, int limit) {
        return list(selection, limit, Integer.MAX_VALUE);
    }

    /**
     * The same without counting all of them: a table may hold millions.
     *
     * @param cap where counting stops
     */
    public DeadLetterPage list(DeadLetterSelection selection, int limit, int cap) {
        return call((connection, store) -> {
            List<DeadLetter> letters = store.find(connection, selection, limit);
            long total = letters.size() < limit ? letters.size() : store.count(connection, selection, cap);
            return new DeadLetterPage(Math.max(total, letters.size()), letters);
        });
    }

    public long count(DeadLetterSelection selection) {
        return call((connection, store) -> store.count(connection, selection, Integer.MAX_VALUE));
    }

    /**
     * @param id of its row in the outbox
     */
    public Optional<DeadLetterContent> get(long id) {
        return call((connection, store) -> store.read(connection, id, maxEventBytes));
    }

    /** What operators did, the latest first. */
    public List<AuditEntry> audit(int limit) {
        return call((connection, store) -> store.audit(connection, limit));
    }

    // ---- pausing

    /**
     * Pauses the outbox: from the next renewal of its lease on, within a second, each relay completes what is in flight
     * and sends nothing more, whatever is due. Writers keep writing. Relays keep their leases, and a relay that is
     * started later is paused too, until {@link #resume}.
     *
     * @param reason shown wherever the pause is shown
     * <p>An outbox that is already paused stays paused, under the name of the first actor.
     */
    public Paused pause(String actor, String reason) {
        requireActor(actor);
        if (reason.isBlank()) {
            throw new PostriderException("A reason is required: others are shown it while the outbox is paused.");
        }
        return change((connection, store) -> {
            OutboxStore outbox = outbox(connection);
            OutboxPause before = OutboxPause.parse(outbox.note(connection, OutboxPause.SETTING));
            if (before != null) {
                return new Paused(before, true);
            }
            OutboxPause pause = new OutboxPause(actor, outbox.now(connection), reason);
            outbox.putNote(connection, OutboxPause.SETTING, pause.stored());
            store.record(connection, actor, "pause", reason, 0);
            return new Paused(pause, false);
        });
    }

    /**
     * @param pause that is in effect now
     * @param already whether it was before
     */
    public record Paused(OutboxPause pause, boolean already) {}

    /**
     * Ends a pause: relays continue with the next renewal of their leases.
     *
     * @return the pause that has ended; empty if there was none
     */
    public Optional<OutboxPause> resume(String actor) {
        requireActor(actor);
        return change((connection, store) -> {
            OutboxStore outbox = outbox(connection);
            OutboxPause before = OutboxPause.parse(outbox.note(connection, OutboxPause.SETTING));
            if (before != null) {
                outbox.putNote(connection, OutboxPause.SETTING, "");
                store.record(connection, actor, "resume", "paused " + before.inWords(), 0);
            }
            return Optional.ofNullable(before);
        });
    }

    // ---- dead letters

    /**
     * Sends dead letters again, under their old ids, so that those of a key are sent in order, with all their retries.
     * In claim mode their rows become PENDING; in log mode this leaves a request for the relays that own their shards.
     *
     * @param actor who does it
     */
    public Retried retry(DeadLetterSelection selection, String actor) {
        return retry(selection, false, selection.inWords(), actor);
    }

    /**
     * The same, and rows that were changed after they were written (error class {@code integrity}) get a new hash: they
     * are sent as they are now. Otherwise they would become dead letters again.
     */
    public Retried retryAcceptingChanges(DeadLetterSelection selection, String actor) {
        return retry(selection, true, selection.inWords() + "; changes accepted", actor);
    }

    private Retried retry(DeadLetterSelection selection, boolean acceptChanges, String selector, String actor) {
        requireActor(actor);
        return change((connection, store) -> {
            Retried retried = store.retry(connection, selection, acceptChanges, actor);
            store.record(connection, actor, "retry", selector, retried.sentAgain());
            outbox(connection).notifyCommit(connection);
            return retried;
        });
    }

    /** Deletes dead letters for ever. Keys that they held are opened. */
    public Discarded discard(DeadLetterSelection selection, String actor) {
        requireActor(actor);
        return change((connection, store) -> {
            Discarded discarded = store.discard(connection, selection, actor);
            store.record(connection, actor, "discard", selection.inWords(), discarded.discarded());
            outbox(connection).notifyCommit(connection);
            return discarded;
        });
    }

    /**
     * Restores the events of a dead letter file. A line that cannot be used does not stop the others, and running it
     * again restores nothing twice.
     */
    public RestoreReport restore(Path file, String actor) {
        requireActor(actor);
        RestoreReport report = run(file, actor, true);
        call((connection, store) -> {
            store.record(connection, actor, "restore", "file " + file.getFileName(), report.restored());
            outbox(connection).notifyCommit(connection);
            return report;
        });
        return report;
    }

    /** What {@link #restore} would do. Changes nothing. */
    public RestoreReport previewRestore(Path file) {
        return run(file, "nobody", false);
    }

    private RestoreReport run(Path file, String actor, boolean keep) {
        try (Connection connection = dataSource.getConnection()) {
            AdminStore store = chooseStore(connection);
            connection.setAutoCommit(false);
            RestoreReport report = new RestoreRun(connection, store, actor, keep).run(file);
            connection.setAutoCommit(true);
            return report;
        } catch (SQLException e) {
            throw explain(e);
        }
    }

    // ---- published events

    /** How much a replay would send. */
    public ReplayExtent extent(ReplayRequest request) {
        return call((connection, store) -> store.extent(connection, request.scope(), request.afterId()));
    }

    /**
     * Sends published events once more, in the order of their ids, each with the header {@value ReplayRequest#HEADER}.
     * The rows stay as they are. Events published after the start are not part of it. Where there is nothing to send, nothing
     * is audited.
     *
     * @param publisher stays open, but must not be used any more after a failure
     * @param stop asked now and then whether to stop early
     * @throws ReplayStoppedException if an event was not accepted, or the next one could not be read
     */
    public ReplayReport replay(ReplayRequest request, Publisher publisher, BooleanSupplier stop, String actor) {
        requireActor(actor);
        ReplayExtent extent = extent(request);
        if (extent.events() == 0) {
            return new ReplayReport(0, request.afterId(), true);
        }
        // First, so that a process that dies in between leaves an entry too.
        long entry = call((connection, store) -> store.record(connection, actor, "replay", request.inWords(), 0));
        ReplayRun run = new ReplayRun(request, publisher, extent.at());
        boolean more = true;
        while (more && !stop.getAsBoolean()) {
            List<PublishedEvent> page = nextPage(request, run, extent);
            try {
                run.send(page);
            } catch (ReplayStoppedException e) {
                recordProgress(entry, run, e);
                throw e;
            }
            recordProgress(entry, run, null);
            more = !page.isEmpty();
        }
        return new ReplayReport(run.sent(), run.lastId(), !more);
    }

    /** If the database fails now, that is not what is to be heard of an event that was not accepted. */
    private void recordProgress(long entry, ReplayRun run, @Nullable ReplayStoppedException stopped) {
        try {
            call((connection, store) -> {
                store.recordProgress(connection, entry, run.sent());
                return run;
            });
        } catch (PostriderException e) {
            if (stopped == null) {
                throw run.stopped(String.valueOf(e.getMessage()), e);
            }
            stopped.addSuppressed(e);
        }
    }

    private List<PublishedEvent> nextPage(ReplayRequest request, ReplayRun run, ReplayExtent extent) {
        // What lies before the first one need not be looked at again.
        long after = Math.max(run.lastId(), extent.firstId() - 1);
        AdminStore.Limits window =
                new AdminStore.Limits(WINDOW_EVENTS, Math.max(WINDOW_BYTES, maxEventBytes), maxEventBytes);
        try {
            return call((connection, store) ->
                    store.published(connection, request.scope(), after, extent.lastId(), window));
        } catch (PostriderException e) {
            throw run.stopped(String.valueOf(e.getMessage()), e);
        }
    }

    // ---- transactions

    /** A piece of work in a transaction. */
    @FunctionalInterface
    private interface Work<T> {
        T on(Connection connection, AdminStore store) throws SQLException;
    }

    private <T> T change(Work<T> work) {
        return call((connection, store) -> {
            store.beginChange(connection);
            return work.on(connection, store);
        });
    }

    private <T> T call(Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            AdminStore store = chooseStore(connection);
            connection.setAutoCommit(false);
            try {
                T result = work.on(connection, store);
                connection.commit();
                connection.setAutoCommit(true);
                return result;
            } catch (SQLException | RuntimeException e) {
                rollback(connection, e);
                throw e;
            }
        } catch (SQLException e) {
            throw explain(e);
        }
    }

    /** In a transaction of its own: the isolation of the one that follows is set before its first query. */
    private AdminStore chooseStore(Connection connection) throws SQLException {
        connection.setAutoCommit(true);
        Database database = Databases.of(connection);
        return database.adminStore(table, database.layout(connection, table), hash);
    }

    private static void rollback(Connection connection, Exception cause) {
        try {
            connection.rollback();
            // Not every pool does this.
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    private OutboxStore outbox(Connection connection) throws SQLException {
        return Databases.of(connection).outboxStore(table, hash);
    }

    private PostriderException explain(SQLException e) {
        boolean noLetters =
                SqlErrors.isMissingTable(e) && String.valueOf(e.getMessage()).contains(table.name() + "_dead_letter");
        if (noLetters) {
            return new PostriderException(
                    "Outbox " + table + " has no dead letter table. Create it again with the SQL that"
                            + " 'postrider migrate --print' shows; until then dead letters go to the file.",
                    e);
        }
        return Explanation.ofOutbox(e, table);
    }

    private static void requireActor(String actor) {
        if (actor.isBlank()) {
            throw new PostriderException("An actor is required: the audit table records who did what.");
        }
    }

    /** Which outbox. */
    public static final class Builder {
        private final DataSource dataSource;
        private OutboxTable table = OutboxTable.DEFAULT;
        private ContentHash hash = ContentHash.sha256();
        private long maxEventBytes = RelaySettings.defaults().batch().maxEventBytes();

        private Builder(DataSource dataSource) {
            this.dataSource = dataSource;
        }

        /** Default: {@code outbox}, in the connection's own schema. */
        public Builder table(OutboxTable table) {
            this.table = table;
            return this;
        }

        /** The key of {@link dev.postrider.Outbox.Builder#integrityKey}, needed to accept changes of such events. */
        public Builder integrityKey(byte[] key) {
            this.hash = ContentHash.hmac(key);
            return this;
        }

        /**
         * The relays' {@link RelaySettings.Builder#maxEventBytes}: larger events are neither shown nor replayed.
         * Default: the default of relays.
         */
        public Builder maxEventBytes(long maxEventBytes) {
            this.maxEventBytes = maxEventBytes;
            return this;
        }

        public OutboxAdmin build() {
            return new OutboxAdmin(this);
        }
    }
}
