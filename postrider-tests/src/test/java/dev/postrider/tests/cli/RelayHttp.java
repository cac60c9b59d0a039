package dev.postrider.tests.cli;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Asks a relay process that was started with {@code --http 0}. */
final class RelayHttp {
    private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+) answers");

    private final HttpClient client = HttpClient.newHttpClient();
    private final CommandProcess relay;

    RelayHttp(CommandProcess relay) {
        this.relay = relay;
    }

    HttpResponse<String> ask(String path) throws IOException, InterruptedException {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> ADDRESS.matcher(relay.err()).find());
        Matcher address = ADDRESS.matcher(relay.err());
        if (!address.find()) {
            throw new AssertionError(relay.err());
        }
        URI uri = URI.create("http://127.0.0.1:" + address.group(1) + path);
        return client.send(
                HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(60)).build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
