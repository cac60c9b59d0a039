package dev.postrider.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.examples.Requirement;
import dev.postrider.examples.ServiceProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;

/** The service is a process of its own here, and is killed after it has committed and before it could send. */
class KilledApplicationTest {
    private static final String NAME = "killed";

    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    @Requirement("T2")
    void whatWasCommittedIsSentAfterTheNextStart() throws Exception {
        String url = Servers.database(NAME);
        JdbcClient jdbc = Servers.jdbc(url);
        int port = freePort();
        String id;
        try (ServiceProcess service = ServiceProcess.ofThisClassPath("transfer", TransferApplication.class.getName())) {
            Servers.properties(NAME, url).forEach(service::with);
            service.with("server.port", port)
                    .with("server.address", "127.0.0.1")
                    // So that nobody wins the race against the kill below.
                    .with("spring.kafka.bootstrap-servers", "127.0.0.1:" + freePort())
                    // What it has claimed is free again then.
                    .with("postrider.relay.lease-length", "5s")
                    .start();
            await().atMost(TransferServiceTest.PATIENCE.multipliedBy(2))
                    .ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> {
                        service.check();
                        return send(port, "/accounts", "{\"owner\": \"Ada Lovelace\", \"balance\": 10}")
                                        .statusCode()
                                == 201;
                    });
            send(port, "/accounts", "{\"owner\": \"Charles Babbage\", \"balance\": 0}");
            HttpResponse<String> transferred = send(port, "/transfers", "{\"from\": 1, \"to\": 2, \"amount\": 10}");
            service.kill();
            assertThat(transferred.statusCode()).isEqualTo(201);
            id = JsonMapper.shared().readTree(transferred.body()).get("id").asString();
        }
        assertThat(EventRow.of(jdbc, id).status()).isNotEqualTo("PUBLISHED");

        try (Instance again = Instance.start(Servers.properties(NAME, url));
                Topic topic = Servers.topic(NAME)) {
            await().atMost(TransferServiceTest.PATIENCE)
                    .until(() -> topic.of(id).size() >= 1);
            await().atMost(TransferServiceTest.PATIENCE)
                    .until(() -> EventRow.of(jdbc, id).status().equals("PUBLISHED"));
            assertThat(again.context().isRunning()).isTrue();
        }
    }

    private HttpResponse<String> send(int port, String path, String body) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .header("content-type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
