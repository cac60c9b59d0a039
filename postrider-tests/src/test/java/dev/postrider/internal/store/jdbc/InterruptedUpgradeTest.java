package dev.postrider.internal.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.tests.alter.FailingConnections;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the next version will need: tables with rows in them that get another script, broken off at every statement of it. */
class InterruptedUpgradeTest {
    private static final OutboxTable TABLE = OutboxTable.parse("things");

    @ParameterizedTest
    @EnumSource
    void tablesOfTheVersionBeforeAreBroughtUpToDateHoweverOftenThatIsInterrupted(TestServer server) {
        try (TestDatabase database = TestDatabase.empty(server)) {
            Schema before = schema(server.family(), List.of("V1__things.sql"));
            Schema now = schema(server.family(), List.of("V1__things.sql", "V2__names.sql"));
            int statements = 0;
            boolean finished = false;
            while (!finished) {
                database.execute("drop table if exists things, things_settings");
                assertThat(Migrations.migrate(database.dataSource(), before)).isEqualTo(1);
                database.execute("insert into things (id) values (7)");
                FailingConnections failing = new FailingConnections(database.dataSource(), statements++);
                try {
                    Migrations.migrate(failing.dataSource(), now);
                } catch (PostriderException e) {
                    assertThat(e).hasMessageContaining("gone ");
                }
                finished = !failing.hasFailed();
                boolean told = version(database).equals("2");
                if (server == TestServer.POSTGRES || told) {
                    assertThat(columns(server, database)).isEqualTo(told ? "id,name,age" : "id");
                }

                assertThat(Migrations.migrate(database.dataSource(), now)).isEqualTo(told ? 0 : 1);

                assertThat(version(database)).isEqualTo("2");
                assertThat(columns(server, database)).isEqualTo("id,name,age");
                assertThat(database.one("select concat(id, '/', age) from things"))
                        .isEqualTo("7/0");
            }
            assertThat(statements).isGreaterThan(8);
        }
    }

    private static Schema schema(DatabaseFamily family, List<String> files) {
        boolean mysql = family == DatabaseFamily.MYSQL;
        Map<String, String> names = mysql
                ? Map.of("table", "`things`", "settings_table", "`things_settings`", "name", "things")
                : Map.of("table", "\"things\"", "settings_table", "\"things_settings\"", "name", "things");
        String location = "dev/postrider/tests/schema/" + family.name().toLowerCase(Locale.ROOT);
        return new Schema(
                "outbox",
                "postrider migrate",
                Databases.of(family),
                TABLE,
                new SchemaFiles(location, files, names),
                (mysql ? "replace" : "insert") + " into things_settings (name, value) values ('schema_version', '"
                        + files.size() + "');");
    }

    private static String version(TestDatabase database) {
        return database.one("select value from things_settings where name = 'schema_version'");
    }

    private static String columns(TestServer server, TestDatabase database) {
        return String.join(
                ",",
                database.column("select column_name from information_schema.columns where table_name = 'things'"
                        + " and table_schema = " + server.currentSchema() + " order by ordinal_position"));
    }
}
