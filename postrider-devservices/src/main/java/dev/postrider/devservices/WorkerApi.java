package dev.postrider.devservices;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a Kafka Connect worker is asked over HTTP. Any thread. */
final class WorkerApi {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Duration START_LIMIT = Duration.ofMinutes(3);
    private static final Pattern STATE = Pattern.compile("\"state\"\\s*:\\s*\"([A-Z_]+)\"");
    private static final Pattern TRACE = Pattern.compile("\"trace\"\\s*:\\s*\"((?:[^\"\\\\]++|\\\\.)*+)\"");

    private final Supplier<String> url;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();

    WorkerApi(Supplier<String> url) {
        this.url = url;
    }

    /** Whether it has read its topics and takes orders. */
    boolean isHealthy() {
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create(url.get() + "/health"))
                    .timeout(Duration.ofSeconds(5))
                    .build();
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Creates a connector. */
    void create(String json) {
        HttpResponse<String> answer = insist("POST", "/connectors", json);
        if (answer.statusCode() / 100 != 2) {
            throw new DevServicesException(
                    "the connector was refused with status " + answer.statusCode() + ": " + answer.body());
        }
    }

    /** Ends a connector for good; it keeps its offsets. */
    void delete(String connector) {
        HttpResponse<String> answer = insist("DELETE", "/connectors/" + connector, null);
        if (answer.statusCode() / 100 != 2 && answer.statusCode() != 404) {
            throw new DevServicesException("the connector " + connector + " was not deleted, with status "
                    + answer.statusCode() + ": " + answer.body());
        }
    }

    /** Ends the tasks of a connector until it is resumed, and returns when they have ended. */
    void stop(String connector) {
        order(connector, "stop");
        await(connector, () -> states(connector).matches("STOPPED ?"), "stopped");
    }

    void resume(String connector) {
        order(connector, "resume");
    }

    private void order(String connector, String what) {
        HttpResponse<String> answer = insist("PUT", "/connectors/" + connector + "/" + what, "");
        if (answer.statusCode() / 100 != 2) {
            throw new DevServicesException("the connector " + connector + " refused to " + what + " with status "
                    + answer.statusCode() + ": " + answer.body());
        }
    }

    /** Returns when the connector and its task are running. */
    void awaitRunning(String connector) {
        await(
                connector,
                () -> {
                    problem(connector).ifPresent(trace -> {
                        throw new DevServicesException("the connector " + connector + " has failed: " + trace);
                    });
                    return states(connector).equals("RUNNING RUNNING ");
                },
                "running");
    }

    private void await(String connector, BooleanSupplier condition, String what) {
        if (!Waiting.until(START_LIMIT, condition)) {
            throw new DevServicesException("the connector " + connector + " was not " + what + " within "
                    + START_LIMIT.toSeconds() + " s; its states are " + states(connector));
        }
    }

    /** What made a connector or its task fail; empty if nothing did. */
    Optional<String> problem(String connector) {
        Matcher trace = TRACE.matcher(status(connector));
        return trace.find()
                ? Optional.of(trace.group(1).replace("\\n", "\n").replace("\\t", "    "))
                : Optional.empty();
    }

    /** The connector's own and its tasks'. */
    private String states(String connector) {
        Matcher state = STATE.matcher(status(connector));
        StringBuilder states = new StringBuilder();
        while (state.find()) {
            states.append(state.group(1)).append(' ');
        }
        return states.toString();
    }

    private String status(String connector) {
        HttpResponse<String> answer = insist("GET", "/connectors/" + connector + "/status", null);
        // The status topic is read a moment after the one with the configurations.
        return answer.statusCode() == 200 ? answer.body() : "";
    }

    /** A worker that is being balanced says 409, and one that has only just started 503 or nothing. */
    private HttpResponse<String> insist(String method, String path, @Nullable String body) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(url.get() + path))
                    .timeout(PATIENCE)
                    .header("Content-Type", "application/json")
                    .method(
                            method,
                            body == null
                                    ? HttpRequest.BodyPublishers.noBody()
                                    : HttpRequest.BodyPublishers.ofString(body))
                    .build();
            try {
                HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
                boolean passing =
                        answer.statusCode() == 409 && answer.body().contains("rebalance") || answer.statusCode() == 503;
                if (!passing || System.nanoTime() > deadline) {
                    return answer;
                }
                Thread.sleep(100);
            } catch (IOException e) {
                if (System.nanoTime() > deadline) {
                    throw new DevServicesException(
                            "Kafka Connect does not answer on " + url.get() + ": " + e + "; see its log", e);
                }
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }
    }

    private static DevServicesException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new DevServicesException("interrupted while waiting for Kafka Connect", e);
    }
}
