package dev.postrider.internal.store;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Statements about many rows that fail because of some of them: the rows are halved until the guilty ones are alone, and
 * the others are done. Each statement is a transaction of its own, or is undone by whoever runs it.
 */
public final class Halving {
    /** So many are tried alone. */
    private static final int HOPELESS = 8;

    private Halving() {}

    /** A statement about some of the rows. */
    @FunctionalInterface
    public interface Work<T> {
        void on(List<T> some) throws SQLException;
    }

    /** A row for which the statement fails even alone. */
    public record Refused<T>(T row, SQLException error) {}

    /**
     * @return those that are guilty
     * @throws SQLException if it is not the fault of rows
     */
    public static <T> List<Refused<T>> run(List<T> rows, Work<T> work) throws SQLException {
        return run(rows, work, SqlErrors::isRowsFault);
    }

    /**
     * @param blame whether an error is the fault of rows
     */
    public static <T> List<Refused<T>> run(List<T> rows, Work<T> work, Predicate<SQLException> blame)
            throws SQLException {
        List<Refused<T>> refused = new ArrayList<>();
        if (!rows.isEmpty()) {
            run(rows, work, blame, refused);
        }
        return refused;
    }

    private static <T> void run(List<T> rows, Work<T> work, Predicate<SQLException> blame, List<Refused<T>> refused)
            throws SQLException {
        try {
            work.on(rows);
        } catch (SQLException e) {
            require(blame, e);
            if (rows.size() == 1) {
                refused.add(new Refused<>(rows.get(0), e));
            } else {
                int half = rows.size() / 2;
                run(rows.subList(0, half), work, blame, refused);
                run(rows.subList(half, rows.size()), work, blame, refused);
            }
        }
    }

    /**
     * The same, unless it is hopeless: after some rows that are refused alone, with none accepted, the others count as refused
     * without being tried. A trigger or a constraint that refuses everything looks like the fault of each row, and to ask for
     * thousands of them one by one takes longer than a relay may take.
     *
     * @return those that are guilty, or all if it {@linkplain #isHopeless is hopeless}
     */
    public static <T> List<Refused<T>> runUnlessHopeless(List<T> rows, Work<T> work) throws SQLException {
        Attempt<T> attempt = new Attempt<>(work);
        if (!rows.isEmpty()) {
            attempt.run(rows);
        }
        return attempt.refused;
    }

    private static final class Attempt<T> {
        private final Work<T> work;
        private final List<Refused<T>> refused = new ArrayList<>();
        private boolean accepted;

        Attempt(Work<T> work) {
            this.work = work;
        }

        void run(List<T> rows) throws SQLException {
            if (!accepted && refused.size() >= HOPELESS) {
                SQLException last = refused.get(refused.size() - 1).error();
                rows.forEach(row -> refused.add(new Refused<>(row, last)));
                return;
            }
            try {
                work.on(rows);
                accepted = true;
            } catch (SQLException e) {
                require(SqlErrors::isRowsFault, e);
                if (rows.size() == 1) {
                    refused.add(new Refused<>(rows.get(0), e));
                } else {
                    run(rows.subList(0, rows.size() / 2));
                    run(rows.subList(rows.size() / 2, rows.size()));
                }
            }
        }
    }

    /** Whether none was accepted, of many: then each of them alone would not be either. */
    public static <T> boolean isHopeless(List<T> rows, List<Refused<T>> refused) {
        return rows.size() > HOPELESS
                && refused.size() == rows.size()
                && refused.stream().noneMatch(one -> SqlErrors.isAboutContent(one.error()));
    }

    private static void require(Predicate<SQLException> blame, SQLException e) throws SQLException {
        if (!blame.test(e)) {
            throw e;
        }
    }
}
