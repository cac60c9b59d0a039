package dev.postrider.internal.source.log;

import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.store.log.LogStore.Floor;
import dev.postrider.internal.store.log.LogStore.Head;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of the log, and whether what is remembered still holds at each look at it. Snapshots and marks are worth nothing
 * once ids are drawn anew or another server answers. Whatever makes ids go backwards, or the server another one, comes to light
 * in the same statement as the first snapshot that sees events written afterwards, so that no window is opened that trusts
 * what was before.
 *
 * <p>Used by the relay's thread alone.
 */
final class EndOfLog {
    private static final Logger log = LoggerFactory.getLogger(EndOfLog.class);

    private final String relay;
    private final LogStore store;
    private @Nullable Head known;

    EndOfLog(String relay, LogStore store) {
        this.relay = relay;
        this.store = store;
    }

    /**
     * @throws SQLException if what is remembered does not hold: then the connection is given up, and everything with it
     */
    Head look(Connection connection) throws SQLException {
        Head before = known;
        Head now = store.head(connection);
        if (before != null && !before.server().equals(now.server())) {
            throw forgotten("The connection leads to another server than before: it was started at "
                    + now.server().startedAt() + " on timeline " + now.server().timeline() + ", the one before at "
                    + before.server().startedAt() + " on timeline "
                    + before.server().timeline());
        }
        if (before != null && !before.ids().holdsAt(now.ids())) {
            throw forgotten(
                    "The ids of the outbox do not go on from where they were: the sequence was restarted, set back,"
                            + " or altered; the latest id was " + before.lastId() + " and is " + now.lastId());
        }
        known = now;
        return now;
    }

    private SQLException forgotten(String why) {
        log.error(
                "[{}] {}. Everything that is remembered is dropped, and reading goes on from the cursor. With delivery at least"
                        + " once, events that were delivered last may come again.",
                relay,
                why);
        return new SQLTransientConnectionException(why, "08006");
    }

    /** As of the last look. */
    Floor ids() {
        return known == null ? Floor.NONE : known.ids();
    }

    void forget() {
        known = null;
    }
}
