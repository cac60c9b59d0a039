package dev.postrider.spring.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.internal.spring.relay.RelayLifecycle;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.spring.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Health and endpoints over HTTP, with Spring Security, on a real database. One application for all tests. */
class ActuatorTest {
    private static final Duration LONG = Duration.ofMinutes(3);
    private static final JsonMapper JSON = new JsonMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final String ALICE = "alice";
    private static final String BOB = "bob";
    private static final String NOBODY = "";

    private static final List<String> DELIVERED = new CopyOnWriteArrayList<>();
    private static volatile boolean brokerIsDown;
    private static volatile boolean badIsTaken;
    private static volatile boolean flakyIsTaken;

    private static ConfigurableApplicationContext shop;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
                "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
                "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration"
            })
    static class Shop {
        @Bean
        @Scope(BeanDefinition.SCOPE_PROTOTYPE)
        Publisher publisher() {
            return new Publisher() {
                @Override
                public String destination(OutboxEvent event) {
                    return "memory";
                }

                @Override
                public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
                    return CompletableFuture.completedFuture(answer(event));
                }
            };
        }

        private static PublishResult answer(OutboxEvent event) {
            if (brokerIsDown) {
                return new PublishResult.Unavailable("The broker is down.");
            }
            if (event.type().equals("order.bad") && !badIsTaken) {
                return new PublishResult.Rejected("bad-event", "It is bad.", true);
            }
            if (event.type().equals("order.flaky") && !flakyIsTaken) {
                return new PublishResult.Rejected("flaky", "Not yet.", false);
            }
            DELIVERED.add(event.aggregateId());
            return new PublishResult.Accepted();
        }

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.requestMatchers("/actuator/health/**")
                            .permitAll()
                            .requestMatchers(request -> request.getHeader("Unprotected") != null)
                            .permitAll()
                            .anyRequest()
                            .hasRole("OPS"))
                    .httpBasic(Customizer.withDefaults())
                    .csrf(csrf -> csrf.disable())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername(ALICE).password("{noop}x").roles("OPS").build(),
                    User.withUsername(BOB).password("{noop}x").roles("USER").build());
        }
    }

    @BeforeAll
    static void start() {
        shop = new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.SERVLET)
                .properties(TestDatabase.properties(TestDatabase.create()))
                .properties(
                        "server.port=0",
                        "postrider.schema.initialize=always",
                        "postrider.relay.circuit.open-for=1s",
                        "postrider.relay.retry.base=1s",
                        "postrider.relay.retry.cap=1s",
                        "postrider.relay.retry.max-retries=1000",
                        "management.endpoints.web.exposure.include=health,postrider,postriderdeadletters,postriderrelay",
                        "management.endpoint.postriderdeadletters.access=unrestricted",
                        "management.endpoint.postriderrelay.access=unrestricted",
                        "management.endpoint.health.show-details=always",
                        "management.endpoint.health.probes.enabled=true")
                .run();
    }

    @AfterAll
    static void stop() {
        if (shop != null) {
            shop.close();
        }
    }

    private record Reply(int status, String text) {
        JsonNode json() {
            return JSON.readTree(text);
        }

        String error() {
            return json().path("error").asString("");
        }
    }

    private static Reply get(String user, String path) {
        return send(user, request(path).GET());
    }

    private static Reply post(String user, String path, Map<String, ?> body) {
        return send(
                user,
                request(path)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body))));
    }

    private static HttpRequest.Builder request(String path) {
        String port = shop.getEnvironment().getProperty("local.server.port");
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator/" + path));
    }

    private static Reply send(String user, HttpRequest.Builder request) {
        if (!user.equals(NOBODY)) {
            byte[] login = (user + ":x").getBytes(StandardCharsets.UTF_8);
            request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(login));
        }
        try {
            HttpResponse<String> answer = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return new Reply(answer.statusCode(), answer.body());
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static void write(String type, String... ids) {
        Outbox outbox = shop.getBean(Outbox.class);
        shop.getBean(TransactionTemplate.class).executeWithoutResult(status -> {
            for (String id : ids) {
                outbox.write(OutboxEvent.builder(type)
                        .aggregate("order", id)
                        .json("{\"secret\":\"4711\"}")
                        .build());
            }
        });
    }

    private static List<String> audit() {
        return shop.getBean(JdbcTemplate.class)
                .queryForList("select actor || ' ' || action || ' ' || affected from outbox_audit", String.class);
    }

    private static JsonNode health() {
        return get(NOBODY, "health/postrider").json();
    }

    private static JsonNode details() {
        return health().path("details").path("outbox");
    }

    @Test
    void nobodyWithoutTheRoleSeesOrChangesAnything() {
        for (String path :
                List.of("postrider", "postriderdeadletters", "postriderdeadletters/errors", "postriderrelay")) {
            assertThat(get(NOBODY, path).status()).isEqualTo(401);
            assertThat(get(BOB, path).status()).isEqualTo(403);
            assertThat(get(ALICE, path).status()).as(path).isEqualTo(200);
        }
        assertThat(post(BOB, "postriderrelay/pause", Map.of("reason", "I may not"))
                        .status())
                .isEqualTo(403);
        assertThat(audit()).noneMatch(entry -> entry.startsWith(BOB));
    }

    @Test
    void deadLettersAreSentAgainAndDiscardedUnderTheNameOfTheUser() {
        write("order.bad", "bad-1", "bad-2");
        await().atMost(LONG)
                .until(() ->
                        get(ALICE, "postriderdeadletters").json().path("total").asInt() == 2);

        JsonNode second = get(ALICE, "postriderdeadletters?page=1&size=1&errorClass=bad-event")
                .json();
        assertThat(second.path("total").asInt()).isEqualTo(2);
        assertThat(second.path("letters").size()).isEqualTo(1);
        JsonNode errors = get(ALICE, "postriderdeadletters/errors").json().path("errors");
        assertThat(errors.get(0).path("errorClass").asString()).isEqualTo("bad-event");
        assertThat(errors.get(0).path("letters").asInt()).isEqualTo(2);
        await().atMost(LONG).until(() -> details().path("deadLetters").asInt() == 2);

        long id = second.path("letters").get(0).path("id").asLong();
        Reply one = get(ALICE, "postriderdeadletters/" + id);
        assertThat(one.json().path("reason").asString()).isEqualTo("It is bad.");
        assertThat(one.text()).contains("show-payloads").doesNotContain("4711");

        badIsTaken = true;
        Reply retried = post(ALICE, "postriderdeadletters/retry", Map.of("ids", " " + id + ", " + id));
        assertThat(retried.json().path("sentAgain").asInt()).as(retried.text()).isEqualTo(1);
        await().atMost(LONG).until(() -> DELIVERED.contains("bad-1") || DELIVERED.contains("bad-2"));

        long other = get(ALICE, "postriderdeadletters")
                .json()
                .path("letters")
                .get(0)
                .path("id")
                .asLong();
        Reply discarded = post(ALICE, "postriderdeadletters/discard", Map.of("ids", other));
        assertThat(discarded.json().path("discarded").asInt())
                .as(discarded.text())
                .isEqualTo(1);
        assertThat(get(ALICE, "postriderdeadletters").json().path("total").asInt())
                .isZero();
        assertThat(audit()).contains("alice retry 1", "alice discard 1");
    }

    @Test
    void badInputIsRefusedInASentenceAndChangesNothing() {
        List<String> before = audit();
        for (String path : List.of(
                "postriderdeadletters?page=-1",
                "postriderdeadletters?page=first",
                "postriderdeadletters?size=0",
                "postriderdeadletters?since=yesterday",
                "postriderdeadletters?aggregate=order",
                "postriderdeadletters/999999",
                "postriderdeadletters/abc")) {
            assertRefused(get(ALICE, path), path);
        }
        assertRefused(post(ALICE, "postriderdeadletters/retry", Map.of()), "retry of nothing");
        assertRefused(post(ALICE, "postriderdeadletters/retry", Map.of("ids", "999999,1")), "unknown id");
        assertRefused(post(ALICE, "postriderdeadletters/retry", Map.of("ids", "x")), "no number");
        assertRefused(post(ALICE, "postriderdeadletters/retry", Map.of("errorClass", "none")), "no match");
        assertRefused(post(ALICE, "postriderdeadletters/discard", Map.of("errorClass", "bad-event")), "not by id");
        assertRefused(post(ALICE, "postriderdeadletters/replay", Map.of()), "replay of nothing");
        assertRefused(post(ALICE, "postriderdeadletters/replay", Map.of("aggregate", "order/nobody")), "unknown");
        assertRefused(post(ALICE, "postriderdeadletters/remove", Map.of("ids", 1)), "unknown action");
        assertRefused(post(ALICE, "postriderrelay/pause", Map.of()), "no reason");
        assertRefused(post(ALICE, "postriderrelay/pause", Map.of("reason", " ")), "blank reason");
        assertRefused(post(ALICE, "postriderrelay/stop", Map.of("reason", "why")), "unknown action");
        assertThat(audit()).isEqualTo(before);
    }

    private static void assertRefused(Reply reply, String what) {
        assertThat(reply.status()).as(what + ": " + reply.text()).isEqualTo(400);
        assertThat(reply.error()).as(what).endsWith(".");
    }

    @Test
    void actionOfNobodyIsRefused() {
        List<String> before = audit();
        for (String path : List.of("postriderrelay/pause", "postriderrelay/resume", "postriderdeadletters/retry")) {
            Reply reply = send(
                    NOBODY,
                    request(path)
                            .header("Unprotected", "yes")
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString("{\"reason\":\"x\",\"type\":\"x\"}")));
            assertThat(reply.status()).isEqualTo(403);
            assertThat(reply.error()).contains("no user is logged in");
        }
        assertThat(audit()).isEqualTo(before);
    }

    @Test
    void publishedEventsAreSentOnceMoreUnderTheNameOfTheUser() {
        write("order.placed", "replayed");
        await().atMost(LONG).until(() -> DELIVERED.contains("replayed"));
        await().atMost(LONG).untilAsserted(() -> {
            Reply reply = post(ALICE, "postriderdeadletters/replay", Map.of("aggregate", "order/replayed"));
            assertThat(reply.status()).as(reply.text()).isEqualTo(200);
            assertThat(reply.json().path("sent").asInt()).isEqualTo(1);
            assertThat(reply.json().path("complete").asBoolean()).isTrue();
        });
        assertThat(DELIVERED.stream().filter("replayed"::equals)).hasSize(2);
        assertThat(audit()).contains("alice replay 1");
    }

    @Test
    void pauseIsToldWithWhoAndWhyAndIsNotDown() {
        Reply paused = post(ALICE, "postriderrelay/pause", Map.of("reason", "the broker moves"));
        assertThat(paused.json().path("changed").asBoolean()).as(paused.text()).isTrue();
        try {
            await().atMost(LONG)
                    .until(() -> get(ALICE, "postriderrelay")
                            .json()
                            .path("phase")
                            .asString("")
                            .equals("paused"));
            await().atMost(LONG)
                    .until(() ->
                            details().path("paused").path("by").asString("").equals(ALICE));
            await().atMost(LONG)
                    .until(() -> health().path("status").asString("").equals("UP"));
            JsonNode status = get(ALICE, "postrider").json();
            assertThat(status.path("paused").path("reason").asString()).isEqualTo("the broker moves");
        } finally {
            post(ALICE, "postriderrelay/resume", Map.of());
        }
        await().atMost(LONG)
                .until(() -> get(ALICE, "postriderrelay")
                        .json()
                        .path("phase")
                        .asString("")
                        .equals("running"));
        assertThat(audit()).contains("alice pause 0", "alice resume 0");
    }

    @Test
    void keyThatWaitsIsShownWithItsReason() {
        write("order.flaky", "flaky-1", "flaky-1");
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(get(ALICE, "postrider")
                                .json()
                                .path("closedKeys")
                                .toString())
                        .contains("order/flaky-1", "Not yet."));
        flakyIsTaken = true;
        await().atMost(LONG)
                .until(() -> DELIVERED.stream().filter("flaky-1"::equals).count() == 2);
    }

    @Test
    void withoutItsBrokerTheApplicationIsReadyAndDeliversLater() {
        brokerIsDown = true;
        String[] ids = {"late-1", "late-2", "late-3", "late-4", "late-5", "late-6"};
        try {
            write("order.placed", ids);
            await().atMost(LONG)
                    .until(() -> !details().path("circuit").asString("closed").equals("closed"));
            await().atMost(LONG).until(() -> details().path("pending").asInt() >= ids.length);
            await().atMost(LONG)
                    .until(() -> health().path("status").asString("").equals("UP"));
            Reply readiness = get(NOBODY, "health/readiness");
            assertThat(readiness.status()).isEqualTo(200);
            assertThat(readiness.text()).doesNotContain("postrider");
        } finally {
            brokerIsDown = false;
        }
        await().atMost(LONG).until(() -> DELIVERED.containsAll(List.of(ids)));
    }

    @Test
    void relayThatDoesNotRunIsDownAndTheApplicationIsReady() {
        RelayLifecycle relay = shop.getBean(RelayLifecycle.class);
        relay.stop();
        try {
            Reply health = get(NOBODY, "health/postrider");
            assertThat(health.status()).isEqualTo(503);
            assertThat(health.json().path("status").asString()).isEqualTo("DOWN");
            assertThat(details().path("relay").asString()).isEqualTo("not running");
            assertThat(get(NOBODY, "health/readiness").status()).isEqualTo(200);
        } finally {
            relay.start();
        }
        await().atMost(LONG).until(() -> details().path("relay").asString("").equals("running"));
    }
}
