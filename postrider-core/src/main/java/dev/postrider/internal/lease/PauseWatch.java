package dev.postrider.internal.lease;

import dev.postrider.OutboxPause;
import dev.postrider.internal.store.OutboxStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks with each renewal of the lease whether an operator has paused the outbox, before anything else is renewed: a relay
 * knows of a pause before it may send for the first time.
 *
 * <p>The lease's thread calls {@link #renew}; any thread asks.
 */
public final class PauseWatch implements AlsoRenewed {
    private static final Logger log = LoggerFactory.getLogger(PauseWatch.class);

    private final String name;
    private final OutboxStore store;
    private final AlsoRenewed others;
    private final Consumer<@Nullable OutboxPause> onChange;
    private volatile @Nullable OutboxPause pause;
    private volatile long changedAt = System.nanoTime();

    /** Touched by the lease's thread. */
    private boolean told;

    /**
     * @param others renewed after it
     * @param onChange told on the lease's thread
     */
    public PauseWatch(String name, OutboxStore store, AlsoRenewed others, Consumer<@Nullable OutboxPause> onChange) {
        this.name = name;
        this.store = store;
        this.others = others;
        this.onChange = onChange;
    }

    /** Null if the outbox is not paused. */
    public @Nullable OutboxPause pause() {
        return pause;
    }

    /** For how long this relay has known of the pause. */
    public Duration pausedFor() {
        return Duration.ofNanos(System.nanoTime() - changedAt);
    }

    @Override
    public void renew(Connection connection, String owner, Duration length) throws SQLException {
        OutboxPause before = pause;
        OutboxPause now = OutboxPause.parse(store.note(connection, OutboxPause.SETTING));
        if ((before == null) != (now == null)) {
            changedAt = System.nanoTime();
        }
        pause = now;
        if (before == null && now != null) {
            log.info("[{}] paused {}; 'postrider resume' goes on", name, now.inWords());
        } else if (before != null && now == null) {
            log.info("[{}] resumed", name);
        }
        if (!told || (before == null) != (now == null)) {
            // The first time too: this relay may have begun anew, and others have been told otherwise before.
            told = true;
            onChange.accept(now);
        }
        others.renew(connection, owner, length);
    }

    @Override
    public void forget() {
        others.forget();
    }
}
