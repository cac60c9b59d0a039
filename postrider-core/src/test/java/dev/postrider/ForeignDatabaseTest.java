package dev.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.admin.LayoutRequest;
import dev.postrider.publish.Slf4jPublisher;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Databases that Postrider does not know are refused by name, whoever meets them first, and are asked nothing else. */
class ForeignDatabaseTest {
    private static final OutboxEvent EVENT = OutboxEvent.builder("acme.order.placed.v1")
            .aggregate("order", "1")
            .json("{}")
            .build();

    @FunctionalInterface
    private interface Use {
        void of(DataSource dataSource) throws SQLException;
    }

    static Stream<Arguments> uses() {
        return Stream.of(
                use("Outbox.write", foreign -> Outbox.builder().build().write(foreign.getConnection(), EVENT)),
                use("Relay.start", foreign -> relay(foreign).start()),
                use("Relay.runOnce", foreign -> relay(foreign).runOnce()),
                use("OutboxSchema.migrate", foreign -> OutboxSchema.migrate(foreign, OutboxTable.DEFAULT)),
                use(
                        "OutboxSchema.migrate with a layout",
                        foreign -> OutboxSchema.migrate(foreign, OutboxTable.DEFAULT, OutboxLayout.claim())),
                use("InboxSchema.migrate", foreign -> InboxSchema.migrate(foreign)),
                use("Inbox.mark", foreign -> Inbox.of("audit").mark(foreign.getConnection(), "1")),
                use("Inbox.purge", foreign -> Inbox.of("audit").purge(foreign, Duration.ofDays(1))),
                use("NamedLocks.hold", foreign -> NamedLocks.create().hold(foreign.getConnection(), "a lock")),
                use("OutboxAdmin.status", foreign -> admin(foreign).status()),
                use("OutboxAdmin.layout", foreign -> admin(foreign).layout()),
                use(
                        "LayoutChange.alter",
                        foreign -> LayoutChange.builder(foreign).build().alter(LayoutRequest.NOTHING, "tester")));
    }

    private static Arguments use(String name, Use use) {
        return Arguments.of(name, use);
    }

    private static Relay relay(DataSource dataSource) {
        return Relay.builder(dataSource, Slf4jPublisher.withoutPayloads()).build();
    }

    private static OutboxAdmin admin(DataSource dataSource) {
        return OutboxAdmin.builder(dataSource).build();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("uses")
    void unknownDatabaseIsRefusedByNameAndAskedNothing(String name, Use use) {
        assertThatThrownBy(() -> use.of(foreign("Oracle", "23.5")))
                .isInstanceOf(PostriderException.class)
                .hasMessage(
                        "The database is Oracle, which Postrider does not know; it knows PostgreSQL from 13, MariaDB"
                                + " from 10.6 and MySQL from 8.0.19 on.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"H2", "Microsoft SQL Server", "DB2/LINUXX8664", "SQLite", "HSQL Database Engine"})
    void everyOtherNameIsUnknown(String product) {
        assertThatThrownBy(() -> DatabaseFamily.of(foreign(product, "1.0").getConnection()))
                .isInstanceOf(PostriderException.class)
                .hasMessageStartingWith("The database is " + product + ", which Postrider does not know;");
    }

    @Test
    void databaseThatCallsItselfPostgresIsTakenForOne() throws SQLException {
        assertThat(DatabaseFamily.of(foreign("PostgreSQL", "13.0").getConnection()))
                .isEqualTo(DatabaseFamily.POSTGRESQL);
    }

    @Test
    void oldDatabaseIsRefusedWithItsVersion() {
        assertThatThrownBy(() -> DatabaseFamily.of(foreign("MySQL", "8.0.18").getConnection()))
                .isInstanceOf(PostriderException.class)
                .hasMessage("The database is MySQL 8.0.18; Postrider needs 8.0.19 or newer.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:oracle:thin:scott/tiger@//host:1521/x", "jdbc:h2:mem:", "jdbc:sqlserver://host"})
    void urlOfAnUnknownDatabaseIsRefusedByItsBeginningAlone(String url) {
        String kind = url.substring(0, url.indexOf(':', "jdbc:".length()) + 1);

        assertThatThrownBy(() -> DatabaseFamily.ofUrl(url))
                .isInstanceOf(PostriderException.class)
                .hasMessage("The database's URL begins with " + kind + ", which Postrider does not know; it knows"
                        + " jdbc:postgresql:, jdbc:mariadb: and jdbc:mysql:.");
    }

    /** A data source of such a database; a statement on one of its connections is an error. */
    private static DataSource foreign(String product, String version) {
        DatabaseMetaData server = proxy(
                DatabaseMetaData.class,
                Map.of(
                        "getDatabaseProductName",
                        product,
                        "getDatabaseProductVersion",
                        version,
                        "getDatabaseMajorVersion",
                        Integer.parseInt(version.split("\\.")[0]),
                        "getDatabaseMinorVersion",
                        Integer.parseInt(version.split("\\.")[1])));
        InvocationHandler connections = (self, method, arguments) ->
                proxy(Connection.class, Map.of("getMetaData", server, "getAutoCommit", false, "getNetworkTimeout", 0));
        return (DataSource) Proxy.newProxyInstance(
                ForeignDatabaseTest.class.getClassLoader(), new Class<?>[] {DataSource.class}, connections);
    }

    private static <T> T proxy(Class<T> type, Map<String, Object> answers) {
        return type.cast(Proxy.newProxyInstance(
                ForeignDatabaseTest.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    String name = method.getName();
                    if (name.startsWith("prepare") || name.startsWith("create")) {
                        throw new AssertionError("a foreign database was sent a statement");
                    }
                    return name.equals("isWrapperFor") ? Boolean.FALSE : answers.get(name);
                }));
    }
}
