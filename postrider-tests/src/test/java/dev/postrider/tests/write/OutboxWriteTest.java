package dev.postrider.tests.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.EventMapping;
import dev.postrider.JdbcTransactions;
import dev.postrider.NoTransactionException;
import dev.postrider.Outbox;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.Payload;
import dev.postrider.PostriderException;
import dev.postrider.publish.TopicRouting;
import dev.postrider.publish.UnroutableEventException;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.json.JsonMapper;

/** What is written, and when it is not. */
@ParameterizedClass
@EnumSource
class OutboxWriteTest {
    private static TestDatabase database;

    private final Outbox outbox = Outbox.builder().source("payments").build();

    @Parameter
    private TestServer server;

    @BeforeParameterizedClassInvocation
    static void start(TestServer server) {
        database = TestDatabase.withOutbox(server);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        database.close();
    }

    @BeforeEach
    void clear() {
        database.clear();
    }

    @Test
    void eventExistsIfItsTransactionCommits() throws SQLException {
        try (Connection connection = database.transaction()) {
            outbox.write(connection, event("{\"a\":1}"));
            assertThat(database.one("select count(*) from outbox")).isEqualTo("0");
            connection.commit();
        }

        assertThat(database.one("select count(*) from outbox")).isEqualTo("1");
    }

    @Test
    void eventDoesNotExistIfItsTransactionRollsBack() throws SQLException {
        try (Connection connection = database.transaction()) {
            outbox.write(connection, event("{}"));
            connection.rollback();
        }

        assertThat(database.one("select count(*) from outbox")).isEqualTo("0");
    }

    @Test
    void writingOutsideATransactionIsRefused() throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            assertThatThrownBy(() -> outbox.write(connection, event("{}")))
                    .isInstanceOf(NoTransactionException.class)
                    .hasMessageContaining("setAutoCommit(false)");
        }

        assertThat(database.one("select count(*) from outbox")).isEqualTo("0");
    }

    @Test
    void manyEventsKeepTheirOrder() throws SQLException {
        List<OutboxEvent> events = List.of(event("1"), event("2"), event("3"));

        try (Connection connection = database.transaction()) {
            outbox.write(connection, events);
            connection.commit();
        }

        assertThat(database.column("select payload from outbox order by id")).containsExactly("1", "2", "3");
    }

    @Test
    void everyAttributeIsStored() throws SQLException {
        Instant time = Instant.parse("2026-01-02T03:04:05.678901Z");
        OutboxEvent event = OutboxEvent.builder("acme.transfer.completed.v1")
                .aggregate("account", "7")
                .json("{ \"amount\" : 1.50 }")
                .key("customer-1")
                .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                .occurredAt(time)
                .requestId("request-1")
                .deliverAfter(time.plusSeconds(1))
                .maxRetries(9)
                .build();

        write(event);

        assertThat(database.one("select event_id from outbox"))
                .isEqualTo(event.id().toString());
        assertThat(database.one("select concat_ws('|', event_type, aggregate_type, aggregate_id, event_key, source,"
                        + " request_id, max_retries, status, attempts, version) from outbox"))
                .isEqualTo("acme.transfer.completed.v1|account|7|customer-1|payments|request-1|9|PENDING|0|0");
        assertThat(database.one("select payload from outbox"))
                .as("the text as it was written, white space and all")
                .isEqualTo("{ \"amount\" : 1.50 }");
        assertThat(database.one("select headers from outbox")).contains("\"traceparent\":\"00-0af7651916cd43dd");
        assertThat(database.one("select count(*) from outbox where occurred_at = "
                        + server.time("2026-01-02T03:04:05.678901Z") + " and next_attempt_at = "
                        + server.time("2026-01-02T03:04:06.678901Z")))
                .isEqualTo("1");
        String content = "request_id || '|' || event_type || '|' || payload";
        assertThat(database.one("select count(*) from outbox where content_hash = "
                        + (server == TestServer.POSTGRES
                                ? "encode(sha256(convert_to(" + content + "::text, 'UTF8')), 'hex')"
                                : "sha2(" + content + ", 256)")))
                .as("the hash can be checked with SQL")
                .isEqualTo("1");
    }

    @Test
    void bytesAreStoredAsTheyAre() throws SQLException {
        write(OutboxEvent.builder("acme.transfer.completed.v1")
                .aggregate("account", "7")
                .payload(Payload.bytes(new byte[] {0, 1, (byte) 0xFF}, "application/avro"))
                .build());

        String hex = server == TestServer.POSTGRES ? "encode(payload_binary, 'hex')" : "lower(hex(payload_binary))";
        assertThat(database.one("select " + hex + " || content_type from outbox"))
                .isEqualTo("0001ffapplication/avro");
    }

    @Test
    void rowWrittenByPlainSqlWithFourColumnsIsComplete() {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " values ('acme.shipment.sent.v1', 'shipment', '42', '{\"to\":\"Bern\"}')");

        UUID id = UUID.fromString(database.one("select event_id from outbox"));
        assertThat(id.version()).isEqualTo(7);
        assertThat(id.getMostSignificantBits() >>> 16)
                .as("its time is now")
                .isCloseTo(System.currentTimeMillis(), org.assertj.core.data.Offset.offset(60_000L));
        assertThat(database.one("select status || attempts || version || content_type from outbox"
                        + " where next_attempt_at is null"))
                .isEqualTo("PENDING00application/json");
    }

    @Test
    void requestIdWritesOnce() throws SQLException {
        write(withRequestId("r-1"));

        assertThatThrownBy(() -> write(withRequestId("r-1")))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("request id");
        assertThat(database.one("select count(*) from outbox")).isEqualTo("1");
    }

    /** Each goes on with its transaction, whatever it was told. */
    @Test
    void payloadThatIsNotJsonIsRefusedBeforeItSpoilsTheTransaction() throws SQLException {
        try (Connection connection = database.transaction()) {
            outbox.write(connection, event("{\"good\":1}"));
            for (String bad : List.of("", "{", "{\"a\":}", "not json", "{} {}", "{\"secret\":12a}")) {
                assertThatThrownBy(() -> outbox.write(connection, event(bad)))
                        .as(bad)
                        .isInstanceOf(PostriderException.class)
                        .hasMessageStartingWith("The payload is not JSON")
                        .hasMessageNotContaining("secret");
            }
            connection.commit();
        }

        assertThat(database.one("select count(*) from outbox")).isEqualTo("1");
    }

    @Test
    void eventThatCannotBeRoutedIsRefusedWhenWritten() throws SQLException {
        Outbox routed = Outbox.builder().routing(TopicRouting.byConvention()).build();

        try (Connection connection = database.transaction()) {
            assertThatThrownBy(() -> routed.write(
                            connection,
                            OutboxEvent.builder("paid")
                                    .aggregate("order", "1")
                                    .json("{}")
                                    .build()))
                    .isInstanceOf(UnroutableEventException.class)
                    .hasMessageContaining("[paid]")
                    .hasMessageContaining("route");
            connection.commit();
        }

        assertThat(database.one("select count(*) from outbox")).isEqualTo("0");
    }

    @Test
    void missingTableIsExplained() throws SQLException {
        Outbox elsewhere = Outbox.builder().table(OutboxTable.parse("nowhere")).build();

        try (Connection connection = database.transaction()) {
            assertThatThrownBy(() -> elsewhere.write(connection, event("{}")))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("no outbox table nowhere")
                    .hasMessageContaining("postrider migrate");
        }
    }

    @Test
    void outboxesOfOtherNamesAndSchemasStandSideBySide() throws SQLException {
        String schema = database.sideBySide("sales");
        OutboxTable orders = OutboxTable.parse(schema + ".order_outbox");
        database.execute("create table if not exists unrelated (id int)");

        assertThat(OutboxSchema.migrate(database.dataSource(), orders)).isPositive();
        assertThat(OutboxSchema.migrate(database.dataSource(), orders)).isZero();

        try (Connection connection = database.transaction()) {
            Outbox.builder().table(orders).build().write(connection, event("{}"));
            connection.commit();
        }
        assertThat(database.one("select count(*) from " + orders)).isEqualTo("1");
        assertThat(database.one("select count(*) from outbox")).isEqualTo("0");
    }

    @Test
    void plainSqlScriptMakesTheSameTables() {
        try (TestDatabase other = TestDatabase.empty(server)) {
            String script = OutboxSchema.script(server.family(), OutboxTable.DEFAULT, OutboxLayout.claim());
            // Comments hold semicolons, too.
            for (String statement : script.replaceAll("--[^\n]*", "").split(";\\s")) {
                other.execute(statement);
            }
            String columns = "select table_name || column_name || data_type from information_schema.columns"
                    + " where table_schema = " + server.currentSchema()
                    + " and table_name in ('outbox', 'outbox_lease', 'outbox_settings')"
                    + " order by table_name, ordinal_position";
            assertThat(other.column(columns)).isNotEmpty().isEqualTo(database.column(columns));
            assertThat(other.column(server.indexes())).isNotEmpty().isEqualTo(database.column(server.indexes()));
            assertThat(other.one("select value from outbox_settings where name = 'mode'"))
                    .isEqualTo("claim");
        }
    }

    @Test
    void tableNamesThatCouldBecomeSqlAreRefused() {
        for (String bad : List.of("out\"box", "outbox; drop table x", "Outbox", "a.b.c", "", "1st", "x".repeat(41))) {
            assertThatThrownBy(() -> OutboxTable.parse(bad))
                    .as(bad)
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("not allowed");
        }
    }

    @Test
    void domainEventsKnowNothingOfTheOutbox() throws SQLException {
        EventMapping<Shop> mapping = EventMapping.forSealed(Shop.class)
                .json(JsonMapper.shared())
                .on(
                        LikeCreated.class,
                        like -> OutboxEvent.builder("acme.like.created.v1").aggregate("product", like.product()))
                .on(
                        OrderPaid.class,
                        paid -> OutboxEvent.builder("acme.order.paid.v1").aggregate("order", paid.order()))
                .build();

        try (Connection connection = database.transaction()) {
            outbox.write(connection, mapping, new LikeCreated("p-1", "u-1"));
            outbox.write(connection, mapping, new OrderPaid("o-1", 2));
            connection.commit();
        }

        assertThat(database.column("select event_type || aggregate_id || payload"
                        + (server == TestServer.POSTGRES ? "::text" : "") + " from outbox order by id"))
                .containsExactly(
                        "acme.like.created.v1p-1{\"product\":\"p-1\",\"user\":\"u-1\"}",
                        "acme.order.paid.v1o-1{\"order\":\"o-1\",\"items\":2}");
    }

    @Test
    void outboxWithAMappingTakesDomainEventsAsTheyAre() throws SQLException {
        JdbcTransactions transactions = JdbcTransactions.of(database.dataSource());
        Outbox mapped = Outbox.builder()
                .currentTransaction(transactions)
                .mapping(EventMapping.forOpen(Object.class)
                        .json(JsonMapper.shared())
                        .on(
                                LikeCreated.class,
                                like -> OutboxEvent.builder("acme.like.created.v1")
                                        .aggregate("product", like.product()))
                        .build())
                .build();

        transactions.run(connection -> {
            mapped.write(new LikeCreated("p-1", "u-1"));
            mapped.write(List.of(new LikeCreated("p-2", "u-1"), event("{}"), new LikeCreated("p-3", "u-1")));
        });

        assertThat(database.column("select aggregate_id from outbox where aggregate_type = 'product' order by id"))
                .containsExactly("p-1", "p-2", "p-3");
        assertThat(database.one("select count(*) from outbox")).isEqualTo("4");
        assertThatThrownBy(() -> transactions.run(connection -> mapped.write(new OrderPaid("o-1", 2))))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("OrderPaid has no mapping");
    }

    @Test
    void outboxWithoutAMappingSaysSo() {
        JdbcTransactions transactions = JdbcTransactions.of(database.dataSource());
        Outbox plain = Outbox.builder().currentTransaction(transactions).build();

        assertThatThrownBy(() -> transactions.run(connection -> plain.write(new OrderPaid("o-1", 2))))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("mapping(..)");
    }

    @Test
    void layoutOfAnOutboxIsToldAndThatThereIsNone() {
        assertThat(admin(OutboxTable.DEFAULT).layout()).isEqualTo(OutboxLayout.claim());
        assertThatThrownBy(() -> admin(OutboxTable.parse("nowhere")).layout())
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("There is no outbox table nowhere");
    }

    private OutboxAdmin admin(OutboxTable table) {
        return OutboxAdmin.builder(database.dataSource()).table(table).build();
    }

    sealed interface Shop {}

    record LikeCreated(String product, String user) implements Shop {}

    record OrderPaid(String order, int items) implements Shop {}

    private void write(OutboxEvent event) throws SQLException {
        try (Connection connection = database.transaction()) {
            outbox.write(connection, event);
            connection.commit();
        }
    }

    private static OutboxEvent event(String json) {
        return OutboxEvent.builder("acme.transfer.completed.v1")
                .aggregate("account", "7")
                .json(json)
                .build();
    }

    private static OutboxEvent withRequestId(String id) {
        return OutboxEvent.builder("acme.transfer.completed.v1")
                .aggregate("account", "7")
                .json("{}")
                .requestId(id)
                .build();
    }
}
