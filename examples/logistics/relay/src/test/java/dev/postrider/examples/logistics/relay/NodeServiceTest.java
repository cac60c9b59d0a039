package dev.postrider.examples.logistics.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.postrider.examples.NodeProgram;
import dev.postrider.examples.ServiceProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The order service itself. Skipped where there is no Node, or no npm that can get its driver. */
@DisabledOnOs(OS.WINDOWS)
class NodeServiceTest {
    private static final Path COPY = Path.of("target", "node-service").toAbsolutePath();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static ServiceProcess service;
    private static String url;

    private final Database database = Worker.sharedDatabase();

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(
                NodeProgram.install(Path.of("..", "orders"), COPY),
                "There is no Node here, or no npm that can get the driver pg.");
        Worker.shared();
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            url = "http://127.0.0.1:" + socket.getLocalPort() + "/orders";
        }
        service = ServiceProcess.ofProgram("orders", COPY, "node", "service.js")
                .withVariable("PORT", Integer.toString(URI.create(url).getPort()))
                .withVariable("DATABASE_URL", Worker.sharedDatabase().nodeUrl())
                .start();
        await().atMost(Worker.PATIENCE)
                .ignoreExceptions()
                .until(() -> send("GET", "/nonsense", "").statusCode() == 400);
    }

    @AfterAll
    static void stop() {
        if (service != null) {
            service.close();
        }
    }

    @Test
    void orderAndItsStepsAreEventsThatArrive() throws Exception {
        HttpResponse<String> placed = send("POST", "", """
                {"customer": "Ada", "destination": "London", "items": [{"article": "cup-1", "quantity": 2}]}
                """);
        assertThat(placed.statusCode()).isEqualTo(201);
        String order = JsonMapper.shared().readTree(placed.body()).get("id").asString();
        assertThat(send("POST", "/" + order + "/steps", "{\"step\": \"packed\"}")
                        .statusCode())
                .isEqualTo(200);

        String published = "select count(*) from order_event_status where aggregate_id = ? and status = 'PUBLISHED'";
        await().atMost(Worker.PATIENCE).until(() -> database.count(published, order) == 2);
        assertThat(database.list("select event_type from outbox_events where aggregate_id = ? order by id", order))
                .containsExactly("logistics.order.placed", "logistics.order.packed");
        JsonNode now = JsonMapper.shared().readTree(send("GET", "/" + order, "").body());
        assertThat(now.get("step").asString()).isEqualTo("packed");
        assertThat(now.get("version").asInt()).isEqualTo(2);
    }

    @Test
    void whatIsWrongWithARequestIsAProblemDetail() throws Exception {
        HttpResponse<String> invalid = send("POST", "", "{\"customer\": \" \", \"items\": [{\"article\": \"cup-1\"}]}");

        assertThat(invalid.statusCode()).isEqualTo(400);
        assertThat(invalid.headers().firstValue("content-type")).contains("application/problem+json");
        assertThat(JsonMapper.shared().readTree(invalid.body()).get("fields").propertyNames())
                .containsExactlyInAnyOrder("customer", "destination", "items");
        assertThat(send("POST", "", "no JSON").statusCode()).isEqualTo(400);
        assertThat(send("POST", "/" + UUID.randomUUID() + "/steps", "{\"step\": \"packed\"}")
                        .statusCode())
                .isEqualTo(404);
        assertThat(send("POST", "/" + UUID.randomUUID() + "/steps", "{\"step\": \"lost\"}")
                        .statusCode())
                .isEqualTo(400);
        assertThat(send("GET", "/" + UUID.randomUUID(), "").statusCode()).isEqualTo(404);
    }

    private static HttpResponse<String> send(String method, String path, String body)
            throws IOException, InterruptedException {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create(url + path))
                        .header("content-type", "application/json")
                        .method(method, HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
