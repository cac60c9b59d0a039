package dev.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxLayout;
import dev.postrider.tests.support.TestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The printed connector fits the outbox, its database and a relay's settings. That it works: {@code DebeziumTest}. */
class DebeziumConfigTest {
    @TempDir
    Path directory;

    @Test
    void connectorHasTheSettingsOfTheRelay() {
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(1))) {
            Operator operator = operator(database)
                    .variable("POSTRIDER_KAFKA_TOPIC_PREFIX", "eu.")
                    .variable("POSTRIDER_KAFKA_ROUTES", "order.odd=special")
                    .variable("POSTRIDER_KAFKA_CONTENT_MODE", "structured")
                    .variable("POSTRIDER_KAFKA_SOURCE", "/shop");

            assertThat(operator.run("debezium", "config")).as(operator.err()).isZero();
            JsonNode config = operator.json().get("config");
            assertThat(operator.json().get("name").stringValue()).isEqualTo("postrider-outbox");
            assertThat(text(config, "database.dbname")).isEqualTo(database.one("select current_database()"));
            assertThat(text(config, "database.hostname")).isEqualTo("127.0.0.1");
            assertThat(text(config, "table.include.list")).isEqualTo("public.outbox");
            assertThat(text(config, "transforms.postrider.topic.prefix")).isEqualTo("eu.");
            assertThat(text(config, "transforms.postrider.routes")).isEqualTo("order.odd=special");
            assertThat(text(config, "transforms.postrider.content.mode")).isEqualTo("structured");
            assertThat(text(config, "transforms.postrider.source")).isEqualTo("/shop");
            assertThat(text(config, "transforms.postrider.undeliverable.topic"))
                    .isEqualTo("postrider-outbox-undeliverable");
            assertThat(text(config, "database.password")).isEqualTo("${env:POSTRIDER_DB_PASSWORD}");

            operator.run("debezium", "config", "--with-password");
            assertThat(text(operator.json().get("config"), "database.password")).isEqualTo(database.password());
        }
    }

    @Test
    void whatIsStillToBeDoneIsSaidUntilItIsDone() {
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(1))) {
            Operator operator = operator(database);
            operator.run("debezium", "config");
            String statement =
                    "create publication postrider_outbox for table \"public\".\"outbox\" with (publish = 'insert')";
            assertThat(operator.err()).contains(statement, "no replication slot postrider_outbox");

            database.execute(statement);
            operator.run("debezium", "config");
            assertThat(operator.err()).doesNotContain("publication");

            database.execute("alter publication postrider_outbox set (publish = 'insert, update')");
            operator.run("debezium", "config");
            assertThat(operator.err()).contains("alter publication postrider_outbox set (publish = 'insert')");
        }
    }

    @Test
    void stockRouterSaysWhatItCannotDo() {
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(1))) {
            Operator operator = operator(database).variable("POSTRIDER_KAFKA_ROUTES", "order.odd=special");

            assertThat(operator.run("debezium", "config", "--stock"))
                    .as(operator.err())
                    .isZero();
            assertThat(operator.err()).contains("binary payloads", "key of their own", "scheduled");
            JsonNode config = operator.json().get("config");
            assertThat(text(config, "transforms")).isEqualTo("outbox,route0,route1,route2");
            assertThat(text(config, "transforms.route0.replacement")).isEqualTo("special");
            assertThat(text(config, "transforms.route2.replacement")).isEqualTo("postrider-outbox-undeliverable");
        }
    }

    @Test
    void claimModeIsRefusedWithTheWayOut() {
        try (TestDatabase database = TestDatabase.withOutbox()) {
            Operator operator = operator(database);

            assertThat(operator.run("debezium", "config")).isEqualTo(2);
            assertThat(operator.err()).contains("claim mode", "postrider alter --mode log");
        }
    }

    @Test
    void doctorWarnsOfEventsThatDebeziumSendsTooEarly() {
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(1))) {
            assertThat(doctor(database)).startsWith("OK No connector");
            database.execute("create publication postrider_outbox for table outbox with (publish = 'insert');"
                    + " insert into outbox (event_type, aggregate_type, aggregate_id, event_key, payload,"
                    + " next_attempt_at) values ('a.b.c', 'A', '1', 'k', '{}', now() + interval '1 day')");
            database.execute("select pg_create_logical_replication_slot('doctor_sees_it', 'pgoutput')");
            try {
                assertThat(doctor(database))
                        .contains("WARNING Of the newest 10,000 events 1 are to be delivered later")
                        .contains("INFO Of the newest 10,000 events 1 have a key of their own");
            } finally {
                database.execute("select pg_drop_replication_slot('doctor_sees_it')");
            }
        }
    }

    private String doctor(TestDatabase database) {
        Operator operator = operator(database);
        operator.run("doctor", "--json");
        StringBuilder said = new StringBuilder();
        for (JsonNode finding : operator.json().path("findings")) {
            if (finding.path("check").asString().equals("outbox.debezium")) {
                said.append(finding.path("severity").asString())
                        .append(' ')
                        .append(finding.path("finding").asString())
                        .append('\n');
            }
        }
        return said.toString();
    }

    private Operator operator(TestDatabase database) {
        return new Operator(directory)
                .variable("POSTRIDER_DB_URL", database.jdbcUrl())
                .variable("POSTRIDER_DB_USER", database.user())
                .variable("POSTRIDER_DB_PASSWORD", database.password());
    }

    private static String text(JsonNode config, String name) {
        return config.get(name).stringValue();
    }
}
