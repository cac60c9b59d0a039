package dev.postrider.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.cli.Operator;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.tests.support.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One relay process for several outboxes: of one that is down the others notice nothing. */
class SeveralOutboxesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private static final OutboxTable LATE = OutboxTable.parse("late_outbox");

    @TempDir
    private Path directory;

    @Test
    void outboxThatIsDownHarmsNoOther() throws Exception {
        try (DevPostgres server = DevPostgres.start();
                TestDatabase orders = TestDatabase.withOutbox();
                TestDatabase billing = TestDatabase.emptyOn(server)) {
            OutboxSchema.migrate(billing.dataSource(), OutboxTable.DEFAULT, OutboxLayout.log(1));
            Files.writeString(directory.resolve("postrider.yml"), """
                    db: {user: %s, password: %s}
                    relay: {destination: log}
                    outboxes:
                      orders: {db: {url: '%s'}}
                      billing: {db: {url: '%s'}}
                      late: {db: {url: '%s'}, table: late_outbox}
                    """.formatted(
                            orders.user(), orders.password(), orders.jdbcUrl(), billing.jdbcUrl(), orders.jdbcUrl()));
            try (CommandProcess relay =
                    CommandProcess.start(directory, Map.of(), "relay", "--name", "r", "--http", "0", "--json")) {
                RelayHttp http = new RelayHttp(relay);
                write(orders, "outbox", 1);
                write(billing, "outbox", 1);
                awaitDelivered(http, "orders", 1);
                awaitDelivered(http, "billing", 1);
                await().atMost(PATIENCE)
                        .untilAsserted(() ->
                                assertThat(http.ask("/readyz/late").body()).contains("no outbox table late_outbox"));
                assertThat(http.ask("/readyz/late").statusCode()).isEqualTo(503);
                assertThat(http.ask("/readyz/orders").statusCode()).isEqualTo(200);
                assertThat(http.ask("/readyz/billing").statusCode()).isEqualTo(200);

                server.kill();
                await().atMost(PATIENCE).until(() -> http.ask("/readyz/billing").statusCode() == 503);
                for (int number = 2; number <= 4; number++) {
                    write(orders, "outbox", number);
                    awaitDelivered(http, "orders", number);
                }
                assertThat(http.ask("/readyz/orders").statusCode()).isEqualTo(200);
                assertThat(http.ask("/livez").statusCode()).isEqualTo(200);
                JsonNode all = JsonMapper.shared().readTree(http.ask("/readyz").body());
                assertThat(all.get("status").stringValue()).isEqualTo("down");
                assertThat(all.at("/outboxes/orders/status").stringValue()).isEqualTo("up");
                assertThat(all.at("/outboxes/billing/reason").stringValue()).isNotBlank();

                server.restart();
                OutboxSchema.migrate(orders.dataSource(), LATE, OutboxLayout.claim());
                await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                    write(billing, "outbox", 2);
                    return true;
                });
                write(orders, LATE.toString(), 1);
                awaitDelivered(http, "billing", 2);
                awaitDelivered(http, "late", 1);
                await().atMost(PATIENCE).until(() -> http.ask("/readyz").statusCode() == 200);

                assertThat(relay.terminate()).as(relay.err()).isZero();
                JsonNode counters = JsonMapper.shared().readTree(relay.out()).get("outboxes");
                assertThat(counters.at("/orders/published").asInt()).isEqualTo(4);
                assertThat(counters.at("/orders/name").stringValue()).isEqualTo("orders-r");
                assertThat(counters.at("/late/published").asInt()).isEqualTo(1);
            }
            Operator operator = new Operator(directory);
            assertThat(operator.run("status", "--outbox", "late", "--json"))
                    .as(operator.err())
                    .isZero();
            assertThat(JsonMapper.shared()
                            .readTree(operator.out())
                            .at("/counts/PUBLISHED")
                            .asInt())
                    .isEqualTo(1);
        }
    }

    private static void write(TestDatabase database, String table, int number) {
        database.execute("insert into " + table + " (event_type, aggregate_type, aggregate_id, payload)"
                + " values ('acme.shipment.sent.v1', 'shipment', '" + number + "', '{}')");
    }

    private static void awaitDelivered(RelayHttp http, String outbox, int events) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(http.ask("/metrics").body())
                        .contains("outbox_processed_count_total{outbox=\"" + outbox + "\"} " + events));
    }
}
