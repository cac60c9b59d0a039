package dev.postrider.spring.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.devservices.DevKafka;
import dev.postrider.internal.spring.relay.RelayLifecycle;
import dev.postrider.publish.Publisher;
import dev.postrider.spring.TestDatabase;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** A web server and a listener that are still at work when the context closes: what they write last is delivered. */
class StopOrderTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String TOPIC = "orders-to-write";

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
                "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
                "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
                "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
                "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration"
            })
    static class Shop {
        @Bean
        HeldDestination destination() {
            HeldDestination destination = new HeldDestination();
            destination.answer();
            return destination;
        }

        @Bean
        Publisher publisher(HeldDestination destination) {
            return destination.publisher();
        }

        @Bean
        LateWork work(
                Outbox outbox,
                TransactionTemplate transactions,
                HeldDestination destination,
                RelayLifecycle relay,
                KafkaTemplate<String, String> kafka) {
            return new LateWork(outbox, transactions, destination, relay, kafka);
        }

        @Bean
        ServletRegistrationBean<HttpServlet> servlet(LateWork work) {
            return new ServletRegistrationBean<>(
                    new HttpServlet() {
                        private static final long serialVersionUID = 1L;

                        @Override
                        protected void doGet(HttpServletRequest request, HttpServletResponse response) {
                            work.doWhileTheContextCloses("web server");
                        }
                    },
                    "/late");
        }
    }

    /** Begins before the context is closed, writes afterwards, and ends when that was delivered. */
    static class LateWork {
        private final Outbox outbox;
        private final TransactionTemplate transactions;
        private final HeldDestination destination;
        private final RelayLifecycle relay;
        private final KafkaTemplate<String, String> kafka;
        /** A listener may be called twice. */
        private final Set<String> begun = ConcurrentHashMap.newKeySet();

        private final CountDownLatch closing = new CountDownLatch(1);

        /** Whether the relay ran, by the moment. */
        private final Map<String, Boolean> relayRan = new ConcurrentHashMap<>();

        LateWork(
                Outbox outbox,
                TransactionTemplate transactions,
                HeldDestination destination,
                RelayLifecycle relay,
                KafkaTemplate<String, String> kafka) {
            this.outbox = outbox;
            this.transactions = transactions;
            this.destination = destination;
            this.relay = relay;
            this.kafka = kafka;
        }

        @EventListener
        void started(WebServerInitializedEvent event) {
            relayRan.put("start of the web server", relay.isRunning());
        }

        @EventListener
        void closed(ContextClosedEvent event) {
            closing.countDown();
        }

        @KafkaListener(topics = TOPIC, groupId = "late")
        void heard(String message) {
            doWhileTheContextCloses("listener");
        }

        void doWhileTheContextCloses(String who) {
            begun.add(who);
            try {
                closing.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            relayRan.put("end of the " + who, relay.isRunning());
            transactions.executeWithoutResult(status -> outbox.write(OutboxEvent.builder("shop.late.written")
                    .aggregate("late", who)
                    .json("{}")
                    .build()));
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> destination.received().contains(who));
        }
    }

    @Test
    void relayStartsBeforeTheWebServerAndStopsAfterItAndListeners() throws Exception {
        CompletableFuture<HttpResponse<Void>> answer;
        LateWork work;
        HeldDestination destination;
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.SERVLET)
                .properties(TestDatabase.properties(TestDatabase.create()))
                .properties(
                        "server.port=0",
                        "postrider.schema.initialize=always",
                        "spring.kafka.bootstrap-servers=" + DevKafka.shared().bootstrapServers(),
                        "spring.kafka.consumer.auto-offset-reset=earliest")
                .run()) {
            work = context.getBean(LateWork.class);
            destination = context.getBean(HeldDestination.class);
            work.kafka.send(TOPIC, "work").get();
            answer = HttpClient.newHttpClient()
                    .sendAsync(
                            HttpRequest.newBuilder(URI.create("http://localhost:"
                                            + context.getEnvironment().getProperty("local.server.port") + "/late"))
                                    .build(),
                            HttpResponse.BodyHandlers.discarding());
            await().atMost(LONG).until(() -> work.begun.containsAll(Set.of("web server", "listener")));
        }

        assertThat(answer.get().statusCode()).isEqualTo(200);
        assertThat(work.relayRan)
                .containsOnly(
                        Map.entry("start of the web server", true),
                        Map.entry("end of the web server", true),
                        Map.entry("end of the listener", true));
        assertThat(destination.received()).containsExactlyInAnyOrder("web server", "listener");
    }
}
