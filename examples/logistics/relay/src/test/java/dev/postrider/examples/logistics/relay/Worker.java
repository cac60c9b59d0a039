package dev.postrider.examples.logistics.relay;

import static org.awaitility.Awaitility.await;

import dev.postrider.devservices.DevKafka;
import dev.postrider.examples.ServiceProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The relay as a process of its own: {@code postrider relay --config relay.yml}. */
final class Worker implements AutoCloseable {
    static final DevKafka KAFKA = DevKafka.shared();
    static final Duration PATIENCE = Duration.ofSeconds(120);
    private static @Nullable Worker shared;
    private static @Nullable Database sharedDatabase;

    private final HttpClient http = HttpClient.newHttpClient();
    private final List<String> errors = new CopyOnWriteArrayList<>();
    private final ServiceProcess process;
    private final int port;

    private Worker(String name, String settings, Database database, String topicPrefix) {
        port = freePort();
        process = ServiceProcess.ofThisClassPath(name, "dev.postrider.cli.PostriderCommand")
                .withArguments("relay", "--config", settings, "--name", name, "--http", Integer.toString(port))
                .withVariable("POSTRIDER_DB_URL", database.dataSource().getUrl())
                .withVariable(
                        "POSTRIDER_DB_USER",
                        String.valueOf(database.dataSource().getUser()))
                .withVariable(
                        "POSTRIDER_DB_PASSWORD",
                        String.valueOf(database.dataSource().getPassword()))
                .withVariable("POSTRIDER_KAFKA", KAFKA.bootstrapServers())
                .withVariable("POSTRIDER_KAFKA_TOPIC_PREFIX", topicPrefix)
                .withVariable(
                        "POSTRIDER_RELAY_DEAD_LETTER_FILE",
                        Path.of("target", name + ".jsonl").toString())
                .onLine(line -> {
                    if (line.contains("ERROR")) {
                        errors.add(line);
                    }
                });
    }

    /** Not started yet. */
    static Worker of(String name, String settings, Database database, String topicPrefix) {
        return new Worker(name, settings, database, topicPrefix);
    }

    /** With the settings of relay.yml, for all tests that do it no harm. Its topic is {@code shared-order-events}. */
    static synchronized Worker shared() {
        if (shared == null) {
            shared = of("worker", "relay.yml", sharedDatabase(), "shared-").start();
        }
        return shared;
    }

    static synchronized Database sharedDatabase() {
        if (sharedDatabase == null) {
            sharedDatabase = Database.create("shared");
        }
        return sharedDatabase;
    }

    /** Another value than that of the file, for the next start. */
    Worker with(String variable, String value) {
        process.withVariable(variable, value);
        return this;
    }

    /** Returns when it holds its lease. */
    Worker start() {
        process.start();
        await().atMost(PATIENCE).until(this::isReady);
        return this;
    }

    void kill() {
        process.kill();
    }

    private boolean isReady() throws InterruptedException {
        process.check();
        try {
            return get("/readyz").statusCode() == 200;
        } catch (IOException e) {
            // It does not listen yet.
            return false;
        }
    }

    /** What Prometheus gets. */
    String metrics() throws IOException, InterruptedException {
        return get("/metrics").body();
    }

    /** The value of a meter that has no further tags than the outbox. */
    double metric(String name) throws IOException, InterruptedException {
        Matcher line = Pattern.compile("(?m)^" + name + "\\{outbox=\"outbox_events\"} (\\S+)$")
                .matcher(metrics());
        if (!line.find()) {
            throw new AssertionError("There is no " + name + " in " + metrics());
        }
        return Double.parseDouble(line.group(1));
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .timeout(Duration.ofSeconds(30))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** Lines that it has logged as errors. */
    List<String> errors() {
        return errors;
    }

    @Override
    public void close() {
        process.kill();
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
