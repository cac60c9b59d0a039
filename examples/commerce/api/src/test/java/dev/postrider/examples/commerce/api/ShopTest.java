package dev.postrider.examples.commerce.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.postrider.EventStatus;
import dev.postrider.OutboxEvent;
import dev.postrider.examples.Requirement;
import dev.postrider.kafka.consume.ReceivedEvent;
import dev.postrider.publish.UnroutableEventException;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.data.redis.core.StringRedisTemplate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ShopTest extends CommerceApiTest {
    private final HttpClient http = HttpClient.newHttpClient();

    @Autowired
    JsonMapper json;

    @Value("${local.server.port}")
    int port;

    @Test
    @Requirement({"C3", "C11"})
    void whateverHappensIsAnEventInTheTopicOfItsDomain() throws Exception {
        long product = post("/products", new Product.Offer("pot", new BigDecimal("30.00"), 3))
                .get("id")
                .asLong();
        post("/products/" + product + "/views/ann", "");
        send("PUT", "/products/" + product + "/likes/ann", "");
        send("PUT", "/products/" + product + "/likes/ann", "");
        send("DELETE", "/products/" + product + "/likes/ann", "");
        String paid = order(product, 2);
        String payment = post("/payments", Map.of("orderId", paid)).get("id").asString();
        post("/payments/" + payment + "/confirm", "");
        String canceled = order(product, 1);
        String refused =
                post("/payments", Map.of("orderId", canceled)).get("id").asString();
        post("/payments/" + refused + "/fail", Map.of("reason", "no money"));
        post("/orders/" + canceled + "/cancel", "");

        assertThat(typesIn(VIEWS, product, 1)).containsExactly("acme.product.viewed.v1");
        assertThat(typesIn(LIKES, product, 2)).containsExactly("acme.like.created.v1", "acme.like.canceled.v1");
        assertThat(typesIn(ORDERS, paid, 2)).containsExactly("acme.order.created.v1", "acme.order.paid.v1");
        assertThat(typesIn(ORDERS, canceled, 2)).containsExactly("acme.order.created.v1", "acme.order.canceled.v1");
        assertThat(typesIn(PAYMENTS, payment, 2)).containsExactly("acme.payment.created.v1", "acme.payment.paid.v1");
        assertThat(typesIn(PAYMENTS, refused, 2)).containsExactly("acme.payment.created.v1", "acme.payment.failed.v1");
        assertThat(typesIn(STOCK, product, 1)).containsExactly("acme.stock.depleted.v1");
    }

    private static List<String> typesIn(Topic topic, Object aggregate, int events) {
        return awaitArrived(topic, aggregate, events).stream()
                .map(ReceivedEvent::type)
                .toList();
    }

    @Test
    @Requirement({"C1", "C2"})
    void envelopeCarriesTheDomainEventAndSaysWhatItIs() {
        Product product = product(5);
        Order order = orders.create(request(product.id(), 2));

        ReceivedEvent arrived = awaitArrived(ORDERS, order.id(), 1).get(0);

        UUID row = jdbc.sql("select event_id from outbox where aggregate_id = ?")
                .param(order.id().toString())
                .query(UUID.class)
                .single();
        assertThat(arrived.id()).isEqualTo(row.toString());
        assertThat(arrived.type()).isEqualTo("acme.order.created.v1");
        assertThat(arrived.source()).isEqualTo("commerce-api");
        assertThat(arrived.aggregateType()).isEqualTo("Order");
        assertThat(arrived.key()).isEqualTo(order.id().toString());
        JsonNode payload = json.readTree(arrived.payload().text());
        assertThat(payload.propertyNames())
                .containsExactlyInAnyOrder("occurredAt", "orderId", "customer", "items", "total");
        assertThat(payload.get("total").decimalValue()).isEqualByComparingTo("17.00");
        // As exactly as the database keeps times.
        assertThat(arrived.time())
                .isBetween(
                        Instant.parse(payload.get("occurredAt").asString()).minusNanos(1000),
                        Instant.parse(payload.get("occurredAt").asString()).plusNanos(1000));
    }

    @Test
    @Requirement("C3")
    void typeWithoutATopicIsRefusedWhenItIsWritten() {
        OutboxEvent nowhere = OutboxEvent.builder("viewed")
                .aggregate("ProductView", "1")
                .json("{}")
                .build();

        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> outbox.write(nowhere)))
                .isInstanceOf(UnroutableEventException.class)
                .hasMessageContaining("viewed");
        assertThat(jdbc.sql("select column_name from information_schema.columns where table_name like 'outbox%'")
                        .query(String.class)
                        .list())
                .describedAs("columns: where an event goes is not among them")
                .contains("event_type")
                .doesNotContain("topic");
    }

    @Test
    @Requirement("C13")
    void allLikesOfAProductAreInOnePartition() {
        List<Long> products = List.of(1, 2, 3, 4, 5, 6, 7, 8).stream()
                .map(stock -> product(stock).id())
                .toList();
        products.forEach(product -> {
            for (int user = 0; user < 5; user++) {
                catalog.like(product, "user-" + user);
            }
        });

        Map<Long, List<Integer>> partitions = products.stream()
                .collect(Collectors.toMap(
                        product -> product,
                        product -> awaitArrived(LIKES, product, 5).stream()
                                .map(event -> event.origin().partition())
                                .distinct()
                                .toList()));

        assertThat(partitions.values())
                .allSatisfy(ofOneProduct -> assertThat(ofOneProduct).hasSize(1));
        assertThat(partitions.values().stream().distinct().count())
                .describedAs("partitions of eight products")
                .isGreaterThan(1);
    }

    @Test
    @Requirement("C15")
    void ordinaryTrafficIsNotLogged() {
        Product product = product(1);
        catalog.view(product.id(), "ann");
        awaitArrived(VIEWS, product.id(), 1);

        try (Log log = new Log()) {
            catalog.view(product.id(), "bob");
            catalog.like(product.id(), "bob");
            orders.create(request(product.id(), 1));
            awaitArrived(VIEWS, product.id(), 2);
            awaitArrived(LIKES, product.id(), 1);
            awaitArrived(STOCK, product.id(), 1);
            await().atMost(PATIENCE).until(() -> admin.status().count(EventStatus.PENDING) == 0);

            assertThat(log.ofOursFrom(Level.INFO)).isEmpty();
        }
    }

    @Test
    @Requirement("C12")
    void producerIsSetAsTheSystemSays() {
        Product product = product(1);
        catalog.view(product.id(), "ann");
        awaitArrived(VIEWS, product.id(), 1);

        assertThat(ProducerFigures.LATEST)
                .extractingByKeys(
                        "acks",
                        "enable.idempotence",
                        "retries",
                        "retry.backoff.ms",
                        "max.in.flight.requests.per.connection",
                        "linger.ms")
                .extracting(String::valueOf)
                .containsExactly("all", "true", "3", "1000", "5", "5");
    }

    @Test
    void productStaysInTheCacheUntilSomebodyEvictsIt(@Autowired StringRedisTemplate redis) throws Exception {
        Product product = product(2);
        assertThat(get(product.id()).stock()).isEqualTo(2);
        orders.create(request(product.id(), 2));
        assertThat(get(product.id()).stock()).isEqualTo(2);

        redis.delete("product:" + product.id());

        assertThat(get(product.id()).stock()).isZero();
        Servers.REDIS.kill();
        try {
            assertThat(get(product.id()).stock()).describedAs("without Redis").isZero();
        } finally {
            Servers.REDIS.restart();
        }
    }

    @Test
    void whatIsWrongWithARequestIsAProblemDetail() throws Exception {
        long product = product(1).id();

        assertThat(send("GET", "/products/4711000", "").statusCode()).isEqualTo(404);
        assertThat(send("POST", "/orders", Map.of("customer", "", "lines", List.of()))
                        .statusCode())
                .isEqualTo(400);
        HttpResponse<String> tooMany = send("POST", "/orders", request(product, 2));
        assertThat(tooMany.statusCode()).isEqualTo(409);
        assertThat(tooMany.headers().firstValue("content-type")).contains("application/problem+json");
        String order = order(product, 1);
        post("/orders/" + order + "/cancel", "");
        assertThat(send("POST", "/orders/" + order + "/cancel", "").statusCode())
                .describedAs("canceled again")
                .isEqualTo(409);
    }

    private static Order.Request request(long product, int quantity) {
        return new Order.Request("Ann", List.of(new Order.Line(product, quantity)));
    }

    private String order(long product, int quantity) throws Exception {
        return post("/orders", request(product, quantity)).get("id").asString();
    }

    private Product get(long product) throws Exception {
        return json.readValue(send("GET", "/products/" + product, "").body(), Product.class);
    }

    private JsonNode post(String path, Object body) throws Exception {
        HttpResponse<String> answer = send("POST", path, body);
        assertThat(answer.statusCode()).describedAs(answer.body()).isBetween(200, 299);
        return json.readTree(answer.body().isEmpty() ? "{}" : answer.body());
    }

    private HttpResponse<String> send(String method, String path, Object body)
            throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .header("content-type", "application/json")
                        .method(
                                method,
                                HttpRequest.BodyPublishers.ofString(
                                        body.equals("") ? "" : json.writeValueAsString(body)))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
