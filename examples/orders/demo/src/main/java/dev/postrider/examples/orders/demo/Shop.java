package dev.postrider.examples.orders.demo;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Places orders over HTTP, and remembers which ones the service has accepted. */
final class Shop {
    private static final JsonMapper JSON = JsonMapper.shared();

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final Random random = new Random(1);
    private final Set<OrderVersion> accepted = ConcurrentHashMap.newKeySet();
    private final String url;

    Shop(int port) {
        this.url = "http://127.0.0.1:" + port + "/orders";
    }

    boolean isOpen() throws IOException, InterruptedException {
        return send("GET", url + "/" + UUID.randomUUID(), "").statusCode() == 404;
    }

    List<UUID> place(int orders) throws IOException, InterruptedException {
        List<UUID> placed = new ArrayList<>();
        for (int i = 0; i < orders; i++) {
            placed.add(accept(send("POST", url, order("Ring twice."))));
        }
        return placed;
    }

    /** A note that cannot be compressed to much less than its length. */
    UUID placeWithNote(int length) throws IOException, InterruptedException {
        byte[] bytes = new byte[length * 3 / 4];
        random.nextBytes(bytes);
        return accept(send("POST", url, order(Base64.getEncoder().encodeToString(bytes))));
    }

    void change(UUID order) throws IOException, InterruptedException {
        accept(send("PUT", url + "/" + order, order("Do not ring.")));
    }

    Set<OrderVersion> accepted() {
        return Set.copyOf(accepted);
    }

    private UUID accept(HttpResponse<String> response) {
        if (response.statusCode() / 100 != 2) {
            throw new IllegalStateException("The service answered " + response.statusCode() + ": " + response.body());
        }
        JsonNode order = JSON.readTree(response.body());
        UUID id = UUID.fromString(order.get("id").asString());
        accepted.add(new OrderVersion(id, order.get("version").asInt()));
        return id;
    }

    private String order(String note) {
        return String.format(Locale.ROOT, """
                {
                  "customer": {"name": "Ada Lovelace", "email": "ada@example.org"},
                  "deliverTo": {"street": "12 St James's Square", "postcode": "SW1Y", "city": "London"},
                  "lines": [{"article": "cup-1", "name": "Cup", "quantity": %d, "price": 4.50}],
                  "note": "%s"
                }
                """, 1 + random.nextInt(12), note);
    }

    private HttpResponse<String> send(String method, String to, String body) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(URI.create(to))
                        .timeout(Duration.ofSeconds(30))
                        .header("content-type", "application/json")
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
