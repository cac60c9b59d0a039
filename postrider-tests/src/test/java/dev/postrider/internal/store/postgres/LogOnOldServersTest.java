package dev.postrider.internal.store.postgres;

import static org.assertj.core.api.Assertions.assertThatCode;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.tests.support.TestDatabase;
import java.lang.reflect.Field;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What newer servers have and the oldest one that is promised, PostgreSQL 13, has not. */
class LogOnOldServersTest {

    /** They came with PostgreSQL 15. */
    @Test
    void noStatementAsksForTheLeastOrGreatestOfTransactionNumbers() throws Exception {
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(2))) {
            database.execute(
                    "alter aggregate min(xid8) rename to min_of_15; alter aggregate max(xid8) rename to max_of_15");
            try (Connection connection = database.dataSource().getConnection()) {
                statements()
                        .forEach((name, statement) -> assertThatCode(() -> parse(connection, statement))
                                .as(name)
                                .doesNotThrowAnyException());
            }
        }
    }

    private static Map<String, String> statements() throws IllegalAccessException {
        PostgresLogSql sql = new PostgresLogSql(OutboxTable.DEFAULT, 2);
        Map<String, String> statements = new LinkedHashMap<>();
        for (Field field : PostgresLogSql.class.getDeclaredFields()) {
            if (field.getType() == String.class
                    && Character.isLowerCase(field.getName().charAt(0))) {
                statements.put(field.getName(), (String) field.get(sql));
            }
        }
        statements.put("firstAhead", PostgresSql.forTable(OutboxTable.DEFAULT, PostgresAlterSql.FIRST_AHEAD));
        return statements;
    }

    /** By the server, which does not run it. */
    private static void parse(Connection connection, String statement) throws SQLException {
        try (PreparedStatement parsed = connection.prepareStatement(statement)) {
            parsed.getParameterMetaData();
        }
    }
}
