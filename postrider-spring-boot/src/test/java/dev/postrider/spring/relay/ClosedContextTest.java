package dev.postrider.spring.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.EventStatus;
import dev.postrider.Outbox;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxStatus;
import dev.postrider.internal.spring.relay.RelayLifecycle;
import dev.postrider.publish.Publisher;
import dev.postrider.spring.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.support.TransactionTemplate;

/** The context is closed while the application writes and events are in flight; of a log, and of claims. */
class ClosedContextTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
                "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
                "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration"
            })
    static class Shop {}

    private final HeldDestination destination = new HeldDestination();
    private final Set<String> committed = ConcurrentHashMap.newKeySet();

    private ConfigurableApplicationContext start(String url, boolean load, String... more) {
        return new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .properties(TestDatabase.properties(url))
                .properties("postrider.schema.initialize=always")
                // What is held stays held, however slow the machine is.
                .properties("postrider.relay.lease-length=1m", "postrider.relay.no-answer-after=10m")
                .properties(more)
                .initializers(context -> {
                    GenericApplicationContext beans = (GenericApplicationContext) context;
                    beans.registerBean(Publisher.class, destination::publisher);
                    if (load) {
                        beans.registerBean(
                                Load.class,
                                () -> new Load(
                                        "shop.load.written",
                                        beans.getBean(Outbox.class),
                                        beans.getBean(TransactionTemplate.class),
                                        committed));
                    }
                })
                .run();
    }

    private static OutboxStatus status(String url) {
        return OutboxAdmin.builder(new DriverManagerDataSource(url, TestDatabase.user(url), TestDatabase.password(url)))
                .build()
                .status();
    }

    /** The answers come when the relay is being stopped, and no sooner. */
    @Test
    void whatIsInFlightIsSettledBeforeTheEnd() throws InterruptedException {
        settledBeforeTheEnd(TestDatabase.create());
    }

    @Test
    @Tag("torture")
    void whatIsInFlightIsSettledBeforeTheEndWithClaimsToo() throws InterruptedException {
        settledBeforeTheEnd(TestDatabase.createOnMariaDb());
    }

    private void settledBeforeTheEnd(String url) throws InterruptedException {
        Thread answering;
        try (ConfigurableApplicationContext context = start(url, true)) {
            await().atMost(LONG).until(() -> !destination.received().isEmpty());
            RelayLifecycle relay = context.getBean(RelayLifecycle.class);
            answering = new Thread(() -> {
                await().atMost(LONG).until(() -> !relay.isRunning());
                destination.answer();
            });
            answering.start();
        }
        answering.join();
        List<String> sent = destination.received();
        assertThat(status(url).count(EventStatus.PUBLISHED)).isEqualTo(sent.size());

        deliverTheRest(url);
        assertThat(destination.received())
                .as("each once, whichever context sent it")
                .containsExactlyInAnyOrderElementsOf(committed);
    }

    @Test
    void whatIsNotAnsweredBeforeTheEndIsTakenOver() {
        takenOver(TestDatabase.createOnMariaDb());
    }

    @Test
    @Tag("torture")
    void whatIsNotAnsweredBeforeTheEndIsTakenOverWithALogToo() {
        takenOver(TestDatabase.create());
    }

    private void takenOver(String url) {
        try (ConfigurableApplicationContext context = start(url, true, "postrider.relay.drain-timeout=200ms")) {
            await().atMost(LONG).until(() -> !destination.received().isEmpty());
            assertThat(context.getBean(Load.class).isRunning()).isTrue();
        }
        List<String> unanswered = destination.received();
        assertThat(status(url).count(EventStatus.PUBLISHED)).isZero();
        // Nobody hears it any more.
        destination.answer();

        deliverTheRest(url);
        List<String> again = destination
                .received()
                .subList(unanswered.size(), destination.received().size());
        assertThat(again).containsExactlyInAnyOrderElementsOf(committed).containsAll(unanswered);
    }

    private void deliverTheRest(String url) {
        try (ConfigurableApplicationContext next = start(url, false)) {
            await().atMost(LONG)
                    .until(() ->
                            next.getBean(OutboxAdmin.class).status().count(EventStatus.PUBLISHED) == committed.size());
        }
    }
}
