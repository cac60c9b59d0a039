package dev.postrider.bench.contender;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Transactions by plain JDBC. */
public final class PlainWrites {
    private PlainWrites() {}

    /** What goes into the transaction beside the business row. */
    public interface Part {
        void write(Connection connection) throws SQLException;
    }

    public static void inTransaction(DataSource dataSource, Part events) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try {
                Business.pay(connection);
                events.write(connection);
                connection.commit();
            } catch (SQLException | RuntimeException e) {
                connection.rollback();
                throw e;
            }
        }
    }
}
