package dev.postrider.internal.store.postgres;

import dev.postrider.internal.store.Halving;
import dev.postrider.internal.store.Settlement;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Behind a savepoint each, so that rows that cannot be changed are found and the others are. */
final class ChangesRowByRow implements RowChanges {
    private static final Logger log = LoggerFactory.getLogger(ChangesRowByRow.class);

    private final Connection connection;
    private final List<Settlement.Dead> refused = new ArrayList<>();

    ChangesRowByRow(Connection connection) {
        this.connection = connection;
    }

    @Override
    public <T> List<Halving.Refused<T>> run(List<T> rows, Halving.Work<T> work) throws SQLException {
        return Halving.run(rows, behindSavepoints(work));
    }

    @Override
    public <T> List<Halving.Refused<T>> runUnlessHopeless(List<T> rows, Halving.Work<T> work) throws SQLException {
        return Halving.runUnlessHopeless(rows, behindSavepoints(work));
    }

    private <T> Halving.Work<T> behindSavepoints(Halving.Work<T> work) {
        return some -> {
            Savepoint before = connection.setSavepoint();
            try {
                work.on(some);
            } catch (SQLException e) {
                undo(before, e);
                throw e;
            }
            connection.releaseSavepoint(before);
        };
    }

    private void undo(Savepoint before, SQLException cause) {
        try {
            connection.rollback(before);
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    @Override
    public <T> void runOrLeave(List<T> rows, Halving.Work<T> work) throws SQLException {
        for (Halving.Refused<T> left : run(rows, work)) {
            log.error(
                    "what is recorded of {} cannot be changed: {}",
                    left.row(),
                    left.error().getMessage());
        }
    }

    @Override
    public void refuse(Settlement.Dead dead) {
        refused.add(dead);
    }

    @Override
    public List<Settlement.Dead> refused() {
        return refused;
    }
}
