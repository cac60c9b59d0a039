package dev.postrider.internal.store.postgres;

import dev.postrider.internal.store.Halving;
import dev.postrider.internal.store.Settlement;
import java.sql.SQLException;
import java.util.List;

/** How changes to many rows are made in one transaction. */
interface RowChanges {
    /**
     * @return what could not be changed
     */
    <T> List<Halving.Refused<T>> run(List<T> rows, Halving.Work<T> work) throws SQLException;

    /** The same, but it gives up if nothing can be changed: {@link Halving#runUnlessHopeless}. */
    <T> List<Halving.Refused<T>> runUnlessHopeless(List<T> rows, Halving.Work<T> work) throws SQLException;

    /** The same where nothing else can be done for what could not be changed. */
    <T> void runOrLeave(List<T> rows, Halving.Work<T> work) throws SQLException;

    /** The dead letter table does not take it. */
    void refuse(Settlement.Dead dead);

    /** Those that the dead letter table does not take. */
    List<Settlement.Dead> refused();
}
