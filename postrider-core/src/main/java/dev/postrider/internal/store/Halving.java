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

    private static void require(Predicate<SQLException> blame, SQLException e) throws SQLException {
        if (!blame.test(e)) {
            throw e;
        }
    }
}
