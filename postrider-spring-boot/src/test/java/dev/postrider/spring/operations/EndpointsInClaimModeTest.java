package dev.postrider.spring.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.internal.spring.endpoint.DeadLettersEndpoint;
import dev.postrider.internal.spring.endpoint.OutboxEndpoint;
import dev.postrider.internal.spring.endpoint.RelayEndpoint;
import dev.postrider.internal.spring.health.OutboxHealth;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.spring.TestDatabase;
import dev.postrider.spring.autoconfigure.DestinationAutoConfiguration;
import dev.postrider.spring.autoconfigure.EndpointsAutoConfiguration;
import dev.postrider.spring.autoconfigure.HealthAutoConfiguration;
import dev.postrider.spring.autoconfigure.PostriderAutoConfiguration;
import dev.postrider.spring.autoconfigure.RelayAutoConfiguration;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.transaction.support.TransactionTemplate;

/** Health and endpoints where rows say themselves how they are, on both databases; payloads are shown to those who may see them. */
class EndpointsInClaimModeTest {
    private static final Duration LONG = Duration.ofMinutes(3);

    /** Nothing is taken: bad ones for good, others not yet. */
    private static final class Refusing implements Publisher {
        @Override
        public String destination(OutboxEvent event) {
            return "memory";
        }

        @Override
        public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
            return CompletableFuture.completedFuture(
                    switch (event.type()) {
                        case "order.bad" -> new PublishResult.Rejected("bad-event", "It is bad.", true);
                        case "order.flaky" -> new PublishResult.Rejected("flaky", "Not yet.", false);
                        default -> new PublishResult.Accepted();
                    });
        }
    }

    private static final SecurityContext ALICE = new SecurityContext() {
        @Override
        public Principal getPrincipal() {
            return () -> "alice";
        }

        @Override
        public boolean isUserInRole(String role) {
            return true;
        }
    };

    @ParameterizedTest
    @ValueSource(strings = {"postgres", "mariadb"})
    void everyEndpointAnswersAndActs(String database) {
        String url = database.equals("mariadb") ? TestDatabase.createOnMariaDb() : TestDatabase.create();
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        PostriderAutoConfiguration.class,
                        DestinationAutoConfiguration.class,
                        RelayAutoConfiguration.class,
                        HealthAutoConfiguration.class,
                        EndpointAutoConfiguration.class,
                        WebEndpointAutoConfiguration.class,
                        EndpointsAutoConfiguration.class))
                .withPropertyValues(TestDatabase.properties(url))
                .withPropertyValues(
                        "postrider.schema.initialize=always",
                        "postrider.schema.mode=claim",
                        "postrider.relay.retry.max-retries=1000",
                        "postrider.relay.dead-letter.then=hold-key",
                        "postrider.endpoints.show-payloads=always",
                        "management.endpoints.web.exposure.include=*")
                .withBean(Publisher.class, Refusing::new)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    OutboxEndpoint outbox = context.getBean(OutboxEndpoint.class);
                    DeadLettersEndpoint letters = context.getBean(DeadLettersEndpoint.class);
                    write(context, "order.bad", "bad");
                    write(context, "order.flaky", "flaky");
                    write(context, "order.placed", "good");

                    await().atMost(LONG)
                            .untilAsserted(() -> assertThat(body(outbox.status(null)))
                                    .extracting("closedKeys")
                                    .asString()
                                    .contains("order/bad", "dead letter", "It is bad.")
                                    .contains("order/flaky", "waits for its retry", "Not yet."));
                    assertThat(body(outbox.status(null))).containsEntry("mode", "claim");

                    List<?> page =
                            (List<?>) body(letters.list(null, null, "bad-event", null, null, null, null, null, null))
                                    .get("letters");
                    String id = String.valueOf(((Map<?, ?>) page.get(0)).get("id"));
                    assertThat(body(letters.one(id, null)))
                            .extracting("payload", "headers")
                            .asString()
                            .contains("4711", "customer");
                    assertThat(body(letters.one("errors", null)))
                            .extracting("total")
                            .isEqualTo(1L);
                    await().atMost(LONG)
                            .untilAsserted(() -> assertThat(context.getBean(OutboxHealth.class)
                                            .health()
                                            .getDetails()
                                            .toString())
                                    .contains("deadLetters=1"));

                    RelayEndpoint relay = context.getBean(RelayEndpoint.class);
                    assertThat(body(relay.act(ALICE, "pause", "to look", null))).containsEntry("changed", true);
                    assertThat(body(relay.act(ALICE, "resume", null, null))).containsEntry("changed", true);
                    assertThat(body(act(letters, "discard", id))).containsEntry("discarded", 1L);
                    assertThat(body(letters.list(null, null, null, null, null, null, null, null, null)))
                            .containsEntry("total", 0L);
                });
    }

    private static WebEndpointResponse<Map<String, Object>> act(
            DeadLettersEndpoint letters, String action, String ids) {
        return letters.act(ALICE, action, ids, null, null, null, null, null, null, null, null, null, null, null);
    }

    private static Map<String, Object> body(WebEndpointResponse<Map<String, Object>> answer) {
        assertThat(answer.getStatus()).as(String.valueOf(answer.getBody())).isEqualTo(200);
        return answer.getBody();
    }

    private static void write(ApplicationContext context, String type, String id) {
        context.getBean(TransactionTemplate.class)
                .executeWithoutResult(status -> context.getBean(Outbox.class)
                        .write(OutboxEvent.builder(type)
                                .aggregate("order", id)
                                .header("customer", "c-1")
                                .json("{\"secret\":\"4711\"}")
                                .build()));
    }
}
