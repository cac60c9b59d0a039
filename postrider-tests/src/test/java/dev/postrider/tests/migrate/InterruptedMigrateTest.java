package dev.postrider.tests.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.InboxSchema;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.tests.alter.FailingConnections;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A migrate that is broken off, at every statement, before it or after it was done. */
@ParameterizedClass
@EnumSource
class InterruptedMigrateTest {
    private static final int MORE_THAN_THERE_ARE = 200;

    @Parameter
    private TestServer server;

    @Test
    void outboxIsMissingOrCompleteOrSaysThatItIsNotAndTheSameCommandCompletesIt() throws SQLException {
        try (TestDatabase whole = TestDatabase.withOutbox(server);
                TestDatabase database = TestDatabase.empty(server)) {
            List<String> complete = columns(whole);
            breakOffEverywhere(
                    database, broken -> OutboxSchema.migrate(broken, OutboxTable.DEFAULT, OutboxLayout.claim()), () -> {
                        List<String> left = columns(database);
                        if (server == TestServer.POSTGRES) {
                            assertThat(left).isIn(List.of(), complete);
                        }
                        boolean incomplete = !left.isEmpty() && !left.equals(complete);
                        if (incomplete) {
                            assertThatThrownBy(() -> layout(database)).hasMessageContaining("postrider migrate");
                        }
                        boolean written = writeIfThereIsATable(database);

                        OutboxSchema.migrate(database.dataSource(), OutboxTable.DEFAULT, OutboxLayout.claim());

                        assertThat(columns(database)).isEqualTo(complete);
                        assertThat(database.column(server.indexes())).isEqualTo(whole.column(server.indexes()));
                        assertThat(layout(database)).isEqualTo(OutboxLayout.claim());
                        assertThat(database.column("select status from outbox"))
                                .isEqualTo(written ? List.of("PENDING") : List.of());
                    });
        }
    }

    @Test
    void interruptedInboxIsCompletedByTheSameCommand() throws SQLException {
        try (TestDatabase whole = TestDatabase.empty(server);
                TestDatabase database = TestDatabase.empty(server)) {
            InboxSchema.migrate(whole.dataSource());
            List<String> complete = columns(whole);
            breakOffEverywhere(database, InboxSchema::migrate, () -> {
                List<String> left = columns(database);
                if (server == TestServer.POSTGRES) {
                    assertThat(left).isIn(List.of(), complete);
                }

                InboxSchema.migrate(database.dataSource());

                assertThat(columns(database)).isEqualTo(complete);
                assertThat(InboxSchema.migrate(database.dataSource())).isZero();
            });
        }
    }

    private interface Look {
        void look() throws SQLException;
    }

    private void breakOffEverywhere(TestDatabase database, Consumer<DataSource> migrate, Look look)
            throws SQLException {
        int statements = 0;
        while (true) {
            clear(database);
            FailingConnections failing = new FailingConnections(database.dataSource(), statements);
            try {
                migrate.accept(failing.dataSource());
            } catch (PostriderException e) {
                assertThat(e).hasMessageContaining("gone ");
            }
            if (!failing.hasFailed()) {
                assertThat(statements).isGreaterThan(5);
                return;
            }
            look.look();
            assertThat(++statements).isLessThan(MORE_THAN_THERE_ARE);
        }
    }

    private void clear(TestDatabase database) {
        if (server == TestServer.POSTGRES) {
            database.execute("drop schema public cascade; create schema public");
        } else {
            List<String> tables = database.column(
                    "select concat('`', table_name, '`') from information_schema.tables where table_schema = database()");
            if (!tables.isEmpty()) {
                database.execute("drop table " + String.join(", ", tables));
            }
        }
    }

    private List<String> columns(TestDatabase database) {
        return database.column("select concat_ws('|', table_name, column_name, data_type, column_default)"
                + " from information_schema.columns where table_schema = " + server.currentSchema()
                + " order by table_name, ordinal_position");
    }

    private static OutboxLayout layout(TestDatabase database) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            return Databases.of(connection).layout(connection, OutboxTable.DEFAULT);
        }
    }

    private boolean writeIfThereIsATable(TestDatabase database) {
        boolean there = columns(database).stream().anyMatch(column -> column.startsWith("outbox|"));
        if (there) {
            database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " values ('acme.order.paid.v1', 'order', '42', '{}')");
        }
        return there;
    }
}
