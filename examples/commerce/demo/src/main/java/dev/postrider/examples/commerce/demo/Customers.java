package dev.postrider.examples.commerce.demo;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Look, like and buy over HTTP, and remember what the shop has accepted. */
final class Customers {
    private static final JsonMapper JSON = JsonMapper.shared();

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final Map<Long, Numbers> accepted = new ConcurrentHashMap<>();
    private final String url;

    Customers(int port) {
        this.url = "http://127.0.0.1:" + port;
    }

    boolean isOpen() throws IOException, InterruptedException {
        return send("GET", "/products/0", "").statusCode() == 404;
    }

    /** A new product. Returns its id. */
    long offer(String name, int stock) throws IOException, InterruptedException {
        JsonNode product = accept(
                send("POST", "/products", "{\"name\": \"%s\", \"price\": 8.50, \"stock\": %d}".formatted(name, stock)));
        long id = product.get("id").asLong();
        note(id, Numbers.NONE);
        return id;
    }

    void view(long product, String user) throws IOException, InterruptedException {
        accept(send("POST", "/products/" + product + "/views/" + user, ""));
        note(product, new Numbers(0, 0, 1));
    }

    /** Twice, since people are impatient; it counts once. */
    void like(long product, String user) throws IOException, InterruptedException {
        accept(send("PUT", "/products/" + product + "/likes/" + user, ""));
        accept(send("PUT", "/products/" + product + "/likes/" + user, ""));
        note(product, new Numbers(1, 0, 0));
    }

    void unlike(long product, String user) throws IOException, InterruptedException {
        accept(send("DELETE", "/products/" + product + "/likes/" + user, ""));
        note(product, new Numbers(-1, 0, 0));
    }

    /** Orders and pays. Returns the order's id. */
    String buy(long product, int quantity) throws IOException, InterruptedException {
        String order = accept(send(
                        "POST",
                        "/orders",
                        String.format(
                                Locale.ROOT,
                                "{\"customer\": \"Ada\", \"lines\": [{\"productId\": %d, \"quantity\": %d}]}",
                                product,
                                quantity)))
                .get("id")
                .asString();
        String payment = accept(send("POST", "/payments", "{\"orderId\": \"%s\"}".formatted(order)))
                .get("id")
                .asString();
        accept(send("POST", "/payments/" + payment + "/confirm", ""));
        note(product, new Numbers(0, quantity, 0));
        return order;
    }

    /** What the shop says is left, out of its cache. */
    int stockOf(long product) throws IOException, InterruptedException {
        return accept(send("GET", "/products/" + product, "")).get("stock").asInt();
    }

    Map<Long, Numbers> accepted() {
        return new TreeMap<>(accepted);
    }

    private void note(long product, Numbers more) {
        accepted.merge(product, more, Numbers::plus);
    }

    private static JsonNode accept(HttpResponse<String> response) {
        if (response.statusCode() / 100 != 2) {
            throw new IllegalStateException("The shop answered " + response.statusCode() + ": " + response.body());
        }
        return JSON.readTree(response.body().isEmpty() ? "{}" : response.body());
    }

    private HttpResponse<String> send(String method, String path, String body)
            throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(URI.create(url + path))
                        .timeout(Duration.ofSeconds(30))
                        .header("content-type", "application/json")
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
