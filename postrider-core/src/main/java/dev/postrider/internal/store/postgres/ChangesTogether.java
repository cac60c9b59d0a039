package dev.postrider.internal.store.postgres;

import dev.postrider.internal.store.Halving;
import dev.postrider.internal.store.Settlement;
import java.sql.SQLException;
import java.util.List;

/** All rows in one statement, which fails as a whole. */
final class ChangesTogether implements RowChanges {
    @Override
    public <T> List<Halving.Refused<T>> run(List<T> rows, Halving.Work<T> work) throws SQLException {
        if (!rows.isEmpty()) {
            work.on(rows);
        }
        return List.of();
    }

    @Override
    public <T> List<Halving.Refused<T>> runUnlessHopeless(List<T> rows, Halving.Work<T> work) throws SQLException {
        return run(rows, work);
    }

    @Override
    public <T> void runOrLeave(List<T> rows, Halving.Work<T> work) throws SQLException {
        run(rows, work);
    }

    @Override
    public void refuse(Settlement.Dead dead) {
        throw new IllegalStateException("nothing was refused");
    }

    @Override
    public List<Settlement.Dead> refused() {
        return List.of();
    }
}
