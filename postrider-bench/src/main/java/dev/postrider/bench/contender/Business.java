package dev.postrider.bench.contender;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** What a user's transaction does beside writing events: one row of its own. */
public final class Business {
    public static final String TABLE = "payment";

    private static final String CREATE = """
            create table if not exists payment (
                id       bigint generated always as identity primary key,
                account  text not null,
                amount   numeric not null,
                made_at  timestamptz not null default clock_timestamp()
            )
            """;

    public static final String INSERT = "insert into payment (account, amount) values (?, ?)";

    private static final AtomicLong payments = new AtomicLong();

    private Business() {}

    public static void create(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(CREATE);
        }
    }

    /** One row, in the caller's transaction. */
    public static void pay(Connection connection) throws SQLException {
        long payment = payments.incrementAndGet();
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            statement.setString(1, "account-" + payment % 1000);
            statement.setBigDecimal(2, java.math.BigDecimal.valueOf(payment, 2));
            statement.executeUpdate();
        }
    }
}
