package dev.postrider.examples.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.postrider.NoTransactionException;
import dev.postrider.Outbox;
import dev.postrider.examples.Requirement;
import dev.postrider.examples.orders.OrderEvent.OrderChanged;
import dev.postrider.examples.orders.OrderEvent.OrderPlaced;
import dev.postrider.kafka.consume.ReceivedEvent;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class PlacingOrdersTest extends OrderServiceTest {
    private final HttpClient http = HttpClient.newHttpClient();

    @Autowired
    Outbox outbox;

    @Autowired
    TransactionTemplate transaction;

    @Autowired
    JsonMapper json;

    @Value("${local.server.port}")
    int port;

    @Test
    @Requirement("O7")
    void consumerGetsTheWholeOrderWithEachEvent() throws Exception {
        Order placed =
                json.readValue(send("POST", "/orders", SampleOrders.cups(2)).body(), Order.class);
        Order changed = json.readValue(
                send("PUT", "/orders/" + placed.id(), SampleOrders.cups(3)).body(), Order.class);

        List<ReceivedEvent> arrived = awaitArrived(placed.id(), 2);

        assertThat(arrived).extracting(ReceivedEvent::type).containsExactly("shop.order.placed", "shop.order.changed");
        assertThat(json.readValue(arrived.get(0).payload().text(), OrderPlaced.class)
                        .order())
                .isEqualTo(placed);
        assertThat(json.readValue(arrived.get(1).payload().text(), OrderChanged.class)
                        .order())
                .isEqualTo(changed);
        assertThat(changed.total()).isEqualByComparingTo("33.50");
        assertThat(json.readValue(send("GET", "/orders/" + placed.id(), null).body(), Order.class))
                .isEqualTo(changed);
    }

    @Test
    @Requirement("O1")
    void eventIdIsInThePayloadAndIsTheIdOfTheRow() {
        Order order = orders.place(SampleOrders.cups(1));

        ReceivedEvent arrived = awaitArrived(order.id(), 1).get(0);

        UUID id = eventOf(order).id();
        assertThat(arrived.id()).isEqualTo(id.toString());
        assertThat(eventIdIn(arrived)).isEqualTo(id.toString());
        assertThat(jdbc.sql("select payload ->> 'eventId' from order_outbox where id = ?")
                        .param(id)
                        .query(String.class)
                        .single())
                .isEqualTo(id.toString());
    }

    @Test
    @Requirement("O1")
    void eventWrittenBySqlHasItsIdInThePayloadToo() {
        UUID order = UUID.randomUUID();
        writeBySql(order, "{\"order\": {}}");

        ReceivedEvent arrived = awaitArrived(order, 1).get(0);

        assertThat(eventIdIn(arrived)).isEqualTo(OutboxRow.of(jdbc, order).id().toString());
        assertThatThrownBy(() -> writeBySql(order, "{\"eventId\": \"" + UUID.randomUUID() + "\"}"))
                .describedAs("another id in the payload")
                .isInstanceOf(DataIntegrityViolationException.class);
    }

    private void writeBySql(UUID order, String payload) {
        jdbc.sql("""
                insert into outbox (event_type, aggregate_type, aggregate_id, payload)
                values ('shop.order.placed', 'order', ?, ?::json)
                """).params(order.toString(), payload).update();
    }

    private String eventIdIn(ReceivedEvent event) {
        return json.readTree(event.payload().text()).get("eventId").asString();
    }

    @Test
    @Requirement("O3")
    void eventIsRefusedOutsideOfATransaction() {
        Order order = Order.placed(UUID.randomUUID(), SampleOrders.cups(1));

        assertThatThrownBy(() -> outbox.write(OrderPlaced.now(order))).isInstanceOf(NoTransactionException.class);
    }

    @Test
    @Requirement("O3")
    void orderAndEventAreRolledBackTogether() {
        UUID rolledBack = transaction.execute(status -> {
            Order order = orders.place(SampleOrders.cups(1));
            status.setRollbackOnly();
            return order.id();
        });

        assertThatThrownBy(() -> orders.get(rolledBack)).isInstanceOf(UnknownOrderException.class);
        assertThat(jdbc.sql("select count(*) from order_outbox where aggregate_id = ?")
                        .param(rolledBack.toString())
                        .query(Long.class)
                        .single())
                .isZero();
    }

    /** PostgreSQL tells of each row which transaction has written it, and this version of it. */
    @Test
    @Requirement("O3")
    void relayRecordsInATransactionOfItsOwn() {
        Order order = orders.place(SampleOrders.cups(1));
        await().atMost(PATIENCE).until(() -> eventOf(order).status().equals("SENT"));

        assertThat(jdbc.sql("""
                        select outbox.tx_id::text = orders.xmin::text as written_with_the_order,
                               outbox.xmin::text <> orders.xmin::text as recorded_later
                        from orders join outbox on outbox.aggregate_id = orders.id::text where orders.id = ?
                        """).param(order.id()).query().singleRow())
                .containsEntry("written_with_the_order", true)
                .containsEntry("recorded_later", true);
    }

    @Test
    void whatIsWrongWithARequestIsAProblemDetail() throws Exception {
        OrderRequest good = SampleOrders.cups(1);
        HttpResponse<String> invalid = send(
                "POST",
                "/orders",
                new OrderRequest(new Order.Customer("", "no address"), good.deliverTo(), List.of(), null));

        assertThat(invalid.statusCode()).isEqualTo(400);
        assertThat(invalid.headers().firstValue("content-type")).contains("application/problem+json");
        JsonNode problem = json.readTree(invalid.body());
        assertThat(problem.get("detail").asString()).isEqualTo("The order is not valid.");
        assertThat(problem.get("fields").propertyNames())
                .containsExactlyInAnyOrder("customer.name", "customer.email", "lines");

        HttpResponse<String> unknown = send("PUT", "/orders/" + UUID.randomUUID(), good);
        assertThat(unknown.statusCode()).isEqualTo(404);
        assertThat(unknown.headers().firstValue("content-type")).contains("application/problem+json");
        assertThat(send("GET", "/orders/nonsense", null).statusCode()).isEqualTo(400);
    }

    private HttpResponse<String> send(String method, String path, Object body)
            throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .header("content-type", "application/json")
                        .method(method, HttpRequest.BodyPublishers.ofString(json.writeValueAsString(body)))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
