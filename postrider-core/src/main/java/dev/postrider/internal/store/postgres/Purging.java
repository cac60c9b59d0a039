package dev.postrider.internal.store.postgres;

import dev.postrider.internal.store.Purged;
import dev.postrider.internal.store.SqlErrors;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A chunk of a clean-up in which a row may be that cannot be deleted: it is passed, and the others are. */
final class Purging {
    private static final Logger log = LoggerFactory.getLogger(Purging.class);

    private Purging() {}

    /** The next rows, as many as the limit says. */
    @FunctionalInterface
    interface Chunk {
        Purged of(int limit) throws SQLException;
    }

    /**
     * @param pass looks at them without deleting anything
     */
    static Purged run(int limit, Chunk delete, Chunk pass) throws SQLException {
        try {
            return delete.of(limit);
        } catch (SQLException e) {
            SqlErrors.requireRowsFault(e);
            if (limit > 1) {
                Purged fewer = run(limit / 2, delete, pass);
                // What is behind them has not been looked at.
                return fewer.looked() < limit / 2 ? fewer : new Purged(limit, fewer.deleted(), fewer.last());
            }
            Purged passed = pass.of(1);
            log.warn("row {} of the outbox cannot be deleted: {}", passed.last().id(), e.getMessage());
            return passed;
        }
    }
}
