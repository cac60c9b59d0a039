package dev.postrider.examples.transfer.demo;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.json.JsonMapper;

/** They move money over HTTP, and remember which transfers the bank has accepted. */
final class Customers {
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final Random random = new Random(1);
    private final List<Long> accounts = new ArrayList<>();
    private final Set<String> accepted = ConcurrentHashMap.newKeySet();
    private final String url;

    Customers(int port) {
        this.url = "http://127.0.0.1:" + port;
    }

    boolean findTheBankOpen() throws IOException, InterruptedException {
        return http.send(
                                HttpRequest.newBuilder(URI.create(url + "/accounts/0"))
                                        .timeout(Duration.ofSeconds(30))
                                        .build(),
                                HttpResponse.BodyHandlers.discarding())
                        .statusCode()
                == 404;
    }

    void openAccounts(int number) throws IOException, InterruptedException {
        for (int i = 0; i < number; i++) {
            String account = post("/accounts", "{\"owner\": \"Customer " + i + "\", \"balance\": 1000000}");
            accounts.add(JsonMapper.shared().readTree(account).get("number").asLong());
        }
    }

    /** Between any two accounts; some of the amounts are suspicious. */
    List<String> transfer(int times) throws IOException, InterruptedException {
        List<String> transfers = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            int from = random.nextInt(accounts.size());
            int to = (from + 1 + random.nextInt(accounts.size() - 1)) % accounts.size();
            String amount =
                    random.nextInt(10) == 0 ? "9900.00" : String.format(Locale.ROOT, "%d.50", random.nextInt(500));
            String body = String.format(
                    Locale.ROOT,
                    "{\"from\": %d, \"to\": %d, \"amount\": %s}",
                    accounts.get(from),
                    accounts.get(to),
                    amount);
            String id = JsonMapper.shared()
                    .readTree(post("/transfers", body))
                    .get("id")
                    .asString();
            accepted.add(id);
            transfers.add(id);
        }
        return transfers;
    }

    Set<String> accepted() {
        return Set.copyOf(accepted);
    }

    private String post(String path, String body) throws IOException, InterruptedException {
        HttpResponse<String> response = http.send(
                HttpRequest.newBuilder(URI.create(url + path))
                        .timeout(Duration.ofSeconds(30))
                        .header("content-type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 201) {
            throw new IllegalStateException("The bank answered " + response.statusCode() + ": " + response.body());
        }
        return response.body();
    }
}
