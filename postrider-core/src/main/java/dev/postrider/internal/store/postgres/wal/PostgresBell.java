package dev.postrider.internal.store.postgres.wal;

import dev.postrider.OutboxTable;
import dev.postrider.WakeUp;
import dev.postrider.internal.lifecycle.Service;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.jdbc.Bell;
import dev.postrider.internal.store.jdbc.RelaySession;
import dev.postrider.internal.store.jdbc.WalStream.Ringer;
import dev.postrider.internal.store.log.Snapshot;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes relays by the replication stream. Every stream decodes the WAL of the whole database, so there is one for an outbox: the
 * relay that holds a lease reads it, and notifies the others. What is delivered is still read from the table: no promise depends
 * on the stream, and losing it costs the time until a notification or the next poll.
 *
 * <ol>
 *   <li>Take the lease, and keep it.
 *   <li>Open the stream, beside the relay: that may have to wait for transactions of others.
 *   <li>The stream tells of a transaction. When a new snapshot sees it, wake the relay and notify the others.
 *   <li>The stream fails: give up the lease, so that another relay may try, and wait, longer each time.
 * </ol>
 *
 * <p>Its thread does all of this, except for reading the stream, which is {@link InsertStream}'s.
 */
final class PostgresBell implements Bell {
    private static final Logger log = LoggerFactory.getLogger(PostgresBell.class);

    static final String LEASE = "wake-up";

    private static final long TICK = Duration.ofSeconds(1).toNanos();
    private static final Duration LEASE_LENGTH = Duration.ofSeconds(4);
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(3);
    private static final Duration MOMENT = Duration.ofSeconds(1);
    private static final String OPENING = "the replication stream is being opened";

    private final Ringer ringer;
    private final OutboxStore store;
    private final WalSql sql;
    private final RelaySession session;
    private final Rings rings = new Rings(System.nanoTime());
    private final InsertStream stream;
    private final Service service;

    /** Why nothing rings; null while it does. */
    private volatile @Nullable String silence = OPENING;

    private volatile boolean told;

    /** Touched by the bell's thread. */
    private boolean holds;

    private boolean others;
    private long tickAt = System.nanoTime();

    private PostgresBell(OutboxTable table, OutboxStore store, WalSql sql, Ringer ringer, RelaySession session) {
        this.ringer = ringer;
        this.store = store;
        this.sql = sql;
        this.session = session;
        this.stream = new InsertStream(
                "postrider-" + ringer.relay() + "-stream",
                ringer.replication(),
                ringer.network(),
                "postrider_" + table.name() + "_",
                new InsertStream.Told() {
                    @Override
                    public void begun() {
                        rings.missed();
                        ringsAgain();
                        service().wake();
                    }

                    @Override
                    public void committed(int transaction) {
                        rings.add(transaction);
                        service().wake();
                    }

                    @Override
                    public void ended(Throwable reason) {
                        fallsSilent(inWords(reason));
                        service().wake();
                    }
                });
        this.service = Service.named("postrider-" + ringer.relay() + "-bell")
                .onFailure(this::interrupted)
                .atEnd(this::end)
                .doing(this::pass);
    }

    private Service service() {
        return service;
    }

    /** The driver says that reading failed, and leaves it to the cause to say why. */
    private static String inWords(Throwable reason) {
        Throwable cause = reason.getCause();
        String what = reason instanceof SQLException ? String.valueOf(reason.getMessage()) : reason.toString();
        return cause == null || cause.getMessage() == null ? what : what + " (" + cause.getMessage() + ")";
    }

    static PostgresBell start(OutboxTable table, OutboxStore store, WalSql sql, Ringer ringer, RelaySession session) {
        PostgresBell bell = new PostgresBell(table, store, sql, ringer, session);
        bell.stream.start();
        bell.service.start();
        return bell;
    }

    private long pass() throws SQLException {
        stream.watch();
        if (System.nanoTime() - tickAt >= 0) {
            tick();
            tickAt = System.nanoTime() + TICK;
        }
        if (holds && rings.nanosLeft(System.nanoTime()) <= 0) {
            ring();
        }
        long now = System.nanoTime();
        return Math.max(0, Math.min(tickAt - now, holds ? rings.nanosLeft(now) : TICK));
    }

    private void tick() throws SQLException {
        if (!stream.mayOpen()) {
            giveUpLease();
            return;
        }
        holds = session.call(connection -> store.tryLease(connection, LEASE, ringer.bell(), LEASE_LENGTH));
        if (!holds) {
            // Its holder notifies this relay.
            stream.shut();
            enter(null);
            return;
        }
        WalSql.Look look = session.call(sql::look);
        String lacking = String.join("; ", stream.isFlowing() ? look.lackingForStream() : look.lacking());
        if (!lacking.isEmpty()) {
            stream.shut();
            stream.refuse();
            fallsSilent(lacking);
            giveUpLease();
            return;
        }
        stream.open(look.publication());
        if (look.others() && !others) {
            // It may have come since the last ring.
            rings.missed();
        }
        others = look.others();
    }

    private void ring() throws SQLException {
        rings.looking(System.nanoTime());
        Snapshot snapshot = session.call(sql::snapshot);
        if (rings.look(snapshot)) {
            ringer.onRing().run();
            if (others) {
                session.run(connection -> {
                    sql.notifyOthers(connection, ringer.bell());
                });
            }
        }
    }

    private void giveUpLease() throws SQLException {
        if (holds) {
            holds = false;
            session.run(connection -> {
                store.releaseLease(connection, LEASE, ringer.bell());
            });
        }
    }

    private synchronized void enter(@Nullable String because) {
        boolean changed = (silence == null) != (because == null);
        silence = because;
        if (changed) {
            ringer.onChange().accept(because == null ? WakeUp.WAL : WakeUp.NOTIFY);
        }
    }

    private void ringsAgain() {
        enter(null);
        told = false;
        log.info("[{}] is woken by the replication stream", ringer.relay());
    }

    private void fallsSilent(String because) {
        enter(because);
        if (!told) {
            told = true;
            log.warn(
                    "[{}] is not woken by the replication stream, only by notifications and polling, and tries again: {}",
                    ringer.relay(),
                    because);
        }
    }

    @Override
    public @Nullable String silentBecause() {
        return silence;
    }

    /** What was to be rung may not have been. */
    private long interrupted(Throwable e, boolean again) {
        rings.missed();
        tickAt = System.nanoTime();
        if (e instanceof Error) {
            log.error("[{}] the bell was interrupted", ringer.relay(), e);
        } else {
            log.debug("[{}] the bell was interrupted: {}", ringer.relay(), e.toString());
        }
        return MOMENT.toNanos();
    }

    /** The stream first: whoever has the lease next need not share. */
    private void end() {
        stream.close();
        session.hurry();
        try {
            giveUpLease();
        } catch (SQLException | RuntimeException e) {
            log.debug("[{}] the lease of the bell was not released, it expires: {}", ringer.relay(), e.getMessage());
        }
        session.close();
    }

    @Override
    public void askToStop() {
        stream.askToStop();
        service.askToStop();
    }

    @Override
    public void close() {
        askToStop();
        if (!service.awaitEnd(LONGEST_CLOSE)) {
            session.abort();
            service.stop(MOMENT);
        }
    }
}
