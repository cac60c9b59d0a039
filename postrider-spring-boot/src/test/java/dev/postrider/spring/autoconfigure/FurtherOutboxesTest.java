package dev.postrider.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.Outbox;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxEvent;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.internal.spring.endpoint.DeadLettersEndpoint;
import dev.postrider.internal.spring.endpoint.OutboxEndpoint;
import dev.postrider.internal.spring.endpoint.RelayEndpoint;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.internal.spring.relay.RelayLifecycle;
import dev.postrider.publish.Publisher;
import dev.postrider.spring.OutboxHandler;
import dev.postrider.spring.RelayCustomizer;
import dev.postrider.spring.TestDatabase;
import dev.postrider.testing.RecordingPublisher;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Several outboxes in one application: in one database and in two, with destinations of their own. */
class FurtherOutboxesTest {
    private static final Duration LONG = Duration.ofMinutes(2);

    private static final WebApplicationContextRunner APPLICATION = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    TransactionAutoConfiguration.class,
                    PostriderAutoConfiguration.class,
                    InboxAutoConfiguration.class,
                    DestinationAutoConfiguration.class,
                    RelayAutoConfiguration.class,
                    HealthAutoConfiguration.class,
                    EndpointAutoConfiguration.class,
                    WebEndpointAutoConfiguration.class,
                    EndpointsAutoConfiguration.class))
            .withPropertyValues(TestDatabase.properties(TestDatabase.create()))
            .withPropertyValues("spring.application.name=shop", "postrider.schema.initialize=always");

    /** Two tables of one database, and a table of another one. */
    private static final WebApplicationContextRunner SHOP = APPLICATION
            .withUserConfiguration(Shop.class)
            .withPropertyValues(
                    "spring.datasource.hikari.connection-timeout=1000",
                    // Three relays of which none is to stop because this machine is busy.
                    "postrider.relay.lease-length=10s",
                    "postrider.outboxes.audit.table=audit_outbox",
                    "postrider.outboxes.audit.relay.destination=handlers",
                    "postrider.outboxes.billing.data-source=billingDataSource",
                    "management.endpoints.web.exposure.include=*");

    @Configuration(proxyBeanMethods = false)
    static class Shop {
        final List<String> customized = new CopyOnWriteArrayList<>();

        @Bean(destroyMethod = "close")
        DevPostgres billingServer() {
            return DevPostgres.start();
        }

        @Bean(defaultCandidate = false)
        HikariDataSource billingDataSource(DevPostgres server) {
            HikariDataSource dataSource = new HikariDataSource();
            dataSource.setJdbcUrl(server.jdbcUrl());
            dataSource.setUsername(server.user());
            dataSource.setPassword(server.password());
            dataSource.setConnectionTimeout(1000);
            return dataSource;
        }

        @Bean(defaultCandidate = false)
        JdbcTransactionManager billingTransactions(@Qualifier("billingDataSource") DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        RecordingPublisher mainPublisher() {
            return RecordingPublisher.acceptingAll();
        }

        @Bean(defaultCandidate = false)
        @Qualifier("billing")
        RecordingPublisher billingPublisher() {
            return RecordingPublisher.acceptingAll();
        }

        @Bean(defaultCandidate = false)
        @Qualifier("billing")
        RelayCustomizer billingCustomizer() {
            return relay -> customized.add("billing");
        }

        @Bean
        Audit audit() {
            return new Audit();
        }

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }
    }

    static class Audit {
        final List<String> seen = new CopyOnWriteArrayList<>();

        @OutboxHandler(value = "order.placed", once = true)
        void note(OutboxEvent event) {
            seen.add(event.aggregateId());
        }
    }

    private static Outbox outbox(ApplicationContext context, String name) {
        return context.getBean("postriderOutbox-" + name, Outbox.class);
    }

    private static void write(ApplicationContext context, Outbox outbox, String manager, String id) {
        PlatformTransactionManager transactions = manager.isEmpty()
                ? context.getBean(PlatformTransactionManager.class)
                : context.getBean(manager, PlatformTransactionManager.class);
        new TransactionTemplate(transactions)
                .executeWithoutResult(status -> outbox.write(OutboxEvent.builder("order.placed")
                        .aggregate("order", id)
                        .json("{}")
                        .build()));
    }

    private static List<String> arrived(ApplicationContext context, String publisher) {
        return context.getBean(publisher, RecordingPublisher.class).accepted().stream()
                .map(OutboxEvent::aggregateId)
                .toList();
    }

    private static Status health(ApplicationContext context, String name) {
        return ((HealthIndicator)
                        context.getBean(CompositeHealthContributor.class).getContributor(name))
                .health()
                .getStatus();
    }

    @Test
    void eachHasItsOwnDestinationAndADatabaseOrTableThatIsGoneHarmsNoOther() {
        SHOP.run(context -> {
            assertThat(context).hasNotFailed();
            Outbox main = context.getBean(Outbox.class);
            assertThat(main).isSameAs(context.getBean("postriderOutbox"));
            write(context, main, "", "m-1");
            write(context, outbox(context, "audit"), "", "a-1");
            write(context, outbox(context, "billing"), "billingTransactions", "b-1");

            Audit audit = context.getBean(Audit.class);
            await().atMost(LONG).untilAsserted(() -> {
                assertThat(arrived(context, "mainPublisher")).containsExactly("m-1");
                assertThat(audit.seen).containsExactly("a-1");
                assertThat(arrived(context, "billingPublisher")).containsExactly("b-1");
            });
            assertThat(context.getBean(Shop.class).customized).containsExactly("billing");
            assertThatThrownBy(() -> write(context, outbox(context, "billing"), "", "x"))
                    .hasMessageContaining("billingDataSource");
            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(context.getBean(MeterRegistry.class)
                                    .find("outbox.processed.count")
                                    .counters())
                            .extracting(counter -> counter.getId().getTag("outbox") + "=" + (long) counter.count())
                            .containsExactlyInAnyOrder("outbox=1", "audit=1", "billing=1"));

            endpointsTakeTheNameOfAnOutbox(context);

            DevPostgres billing = context.getBean(DevPostgres.class);
            JdbcTemplate database = new JdbcTemplate(context.getBean("dataSource", DataSource.class));
            billing.stop();
            database.execute("alter table audit_outbox rename to audit_gone");
            for (int n = 2; n <= 20; n++) {
                String order = "m-" + n;
                write(context, main, "", order);
                await().atMost(LONG)
                        .until(() -> arrived(context, "mainPublisher").contains(order));
            }
            await().atMost(LONG).untilAsserted(() -> {
                assertThat(health(context, "billing")).isEqualTo(Status.DOWN);
                assertThat(health(context, "audit")).isEqualTo(Status.DOWN);
            });
            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(health(context, "main")).isEqualTo(Status.UP));
            assertThatThrownBy(() -> write(context, outbox(context, "billing"), "billingTransactions", "b-2"))
                    .isInstanceOf(RuntimeException.class);

            database.execute("alter table audit_gone rename to audit_outbox");
            billing.restart();
            await().atMost(LONG).ignoreExceptions().until(() -> {
                write(context, outbox(context, "billing"), "billingTransactions", "b-3");
                return true;
            });
            await().atMost(LONG).untilAsserted(() -> {
                assertThat(arrived(context, "billingPublisher")).contains("b-3");
                assertThat(health(context, "billing")).isEqualTo(Status.UP);
                assertThat(health(context, "audit")).isEqualTo(Status.UP);
            });
        });
    }

    /** In the median: what else this machine does delays single events. */
    @Test
    @Tag("torture")
    void latencyDoesNotChangeWhileTheDatabaseOfAnotherIsDownForAMinute() {
        SHOP.run(context -> {
            latency(context, "warm-up", Duration.ofSeconds(5));
            Duration before = latency(context, "before", Duration.ofSeconds(20));

            DevPostgres billing = context.getBean(DevPostgres.class);
            billing.stop();
            Duration during = latency(context, "during", Duration.ofMinutes(1));
            assertThat(health(context, "billing")).isEqualTo(Status.DOWN);
            assertThat(health(context, "main")).isEqualTo(Status.UP);
            billing.restart();

            assertThat(during).isLessThan(before.multipliedBy(2).plusMillis(20));
            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(health(context, "billing")).isEqualTo(Status.UP));
        });
    }

    /** From the commit to the destination. */
    private static Duration latency(ApplicationContext context, String name, Duration time) {
        List<Duration> all = new ArrayList<>();
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            String order = name + "-" + all.size();
            write(context, context.getBean(Outbox.class), "", order);
            long committed = System.nanoTime();
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .atMost(LONG)
                    .until(() -> hasArrivedLast(context, order));
            all.add(Duration.ofNanos(System.nanoTime() - committed));
        }
        all.sort(null);
        return all.get(all.size() / 2);
    }

    private static boolean hasArrivedLast(ApplicationContext context, String order) {
        List<OutboxEvent> accepted =
                context.getBean("mainPublisher", RecordingPublisher.class).accepted();
        return !accepted.isEmpty()
                && accepted.get(accepted.size() - 1).aggregateId().equals(order);
    }

    private static void endpointsTakeTheNameOfAnOutbox(ApplicationContext context) {
        OutboxEndpoint endpoint = context.getBean(OutboxEndpoint.class);
        assertThat(endpoint.status(null).getBody())
                .containsEntry("outbox", "outbox")
                .containsEntry("outboxes", List.of("main", "audit", "billing"));
        assertThat(endpoint.status("audit").getBody()).containsEntry("outbox", "audit_outbox");
        assertThat(context.getBean(RelayEndpoint.class).state("billing").getBody())
                .containsEntry("phase", "running");
        assertThat(context.getBean(DeadLettersEndpoint.class).one("errors", "nobody"))
                .satisfies(answer -> {
                    assertThat(answer.getStatus()).isEqualTo(400);
                    assertThat(answer.getBody().toString()).contains("main, audit, billing");
                });
        OutboxAdmin billing = context.getBean("postriderAdmin-billing", OutboxAdmin.class);
        billing.pause("me", "to look");
        assertThat(endpoint.status("billing").getBody()).containsKey("paused");
        assertThat(endpoint.status("main").getBody()).doesNotContainKey("paused");
        billing.resume("me");
    }

    /** What is injected by type alone is the main one's; a qualifier names another. */
    @Test
    void beansAreInjectedByTheNameOfTheirOutbox() {
        APPLICATION
                .withUserConfiguration(Wanting.class)
                .withPropertyValues(
                        "postrider.relay.destination=log",
                        "postrider.outboxes.audit.table=audit_outbox_2",
                        "postrider.outboxes.audit.relay.enabled=false")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    Map<?, ?> wanted = context.getBean("wanted", Map.class);
                    assertThat(wanted.get("main")).isSameAs(context.getBean("postriderOutbox"));
                    assertThat(wanted.get("audit")).isSameAs(outbox(context, "audit"));
                    assertThat(context.getBeanNamesForType(RelayLifecycle.class))
                            .containsExactly("postriderRelay");
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class Wanting {
        @Bean
        Map<String, Object> wanted(
                Outbox main, @Qualifier("audit") Outbox audit, @Qualifier("audit") OutboxAdmin admin) {
            return Map.of("main", main, "audit", audit, "admin", admin);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    postrider.outboxes.audit.relay.enabled=false            | as the outbox 'main' has
                    postrider.outboxes.main.table=other                     | cannot be the name
                    postrider.outboxes.audit.table=other                    | postrider.outboxes.audit.relay.destination
                    postrider.outboxes.audit.tabel=other                    | did you mean postrider.outboxes.audit.table?
                    postrider.outboxes.audit.relay.batch-sise=7             | did you mean postrider.outboxes.audit.relay.batch-size?
                    postrider.outboxes.audit.relay.batch-size=many          | postrider.outboxes.audit.relay.batch-size is
                    postrider.outboxes.audit.data-source=nowhere            | postrider.outboxes.audit.data-source is 'nowhere'
                    """)
    void whatCannotBeIsRefused(String property, String said) {
        APPLICATION
                .withBean(Publisher.class, RecordingPublisher::acceptingAll)
                .withPropertyValues(property)
                .run(context -> assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
                        .isInstanceOf(PostriderStartException.class)
                        .hasMessageContaining(said));
    }

    @Test
    void publisherThatWouldBeTheMainOutboxsTooIsRefused() {
        APPLICATION
                .withUserConfiguration(Ambiguous.class)
                .withPropertyValues("postrider.outboxes.audit.table=other")
                .run(context -> assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
                        .isInstanceOf(PostriderStartException.class)
                        .hasMessageContainingAll("auditPublisher", "defaultCandidate = false"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Ambiguous {
        @Bean
        @Qualifier("audit")
        Publisher auditPublisher() {
            return RecordingPublisher.acceptingAll();
        }
    }

    @Test
    void handlerSaysWhichOutboxItIsForIfSeveralDeliverToHandlers() {
        WebApplicationContextRunner two = APPLICATION.withPropertyValues(
                "postrider.relay.destination=log",
                "postrider.outboxes.one.table=one",
                "postrider.outboxes.one.relay.destination=handlers",
                "postrider.outboxes.two.table=two",
                "postrider.outboxes.two.relay.destination=handlers");
        two.withBean(Audit.class)
                .run(context -> assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
                        .hasMessageContainingAll("Audit.note", "one, two"));
        two.withBean(Both.class).run(context -> {
            assertThat(context).hasNotFailed();
            write(context, outbox(context, "two"), "", "t-1");
            await().atMost(LONG).until(() -> context.getBean(Both.class).seen.contains("two t-1"));
        });
    }

    static class Both {
        final List<String> seen = new CopyOnWriteArrayList<>();

        @OutboxHandler(value = "order.placed", outbox = "one")
        void one(OutboxEvent event) {
            seen.add("one " + event.aggregateId());
        }

        @OutboxHandler(value = "order.placed", outbox = "two")
        void two(OutboxEvent event) {
            seen.add("two " + event.aggregateId());
        }
    }
}
