package dev.postrider.spring.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.springframework.core.NestedExceptionUtils.getMostSpecificCause;

import dev.postrider.NoTransactionException;
import dev.postrider.OutboxEvent;
import dev.postrider.Payload;
import dev.postrider.housekeeping.Schedule;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.internal.spring.inbox.Inboxes;
import dev.postrider.internal.spring.inbox.MarksPurge;
import dev.postrider.kafka.consume.Origin;
import dev.postrider.kafka.consume.ReceivedEvent;
import dev.postrider.spring.HandleOnce;
import dev.postrider.spring.TestDatabase;
import dev.postrider.spring.autoconfigure.InboxAutoConfiguration;
import dev.postrider.spring.autoconfigure.OnceAutoConfiguration;
import dev.postrider.spring.autoconfigure.PostriderAutoConfiguration;
import dev.postrider.spring.autoconfigure.RelayAutoConfiguration;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** Methods that are called once for each event or action, whatever calls them. */
@ExtendWith(OutputCaptureExtension.class)
class HandleOnceTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private static final ApplicationContextRunner WITHOUT_DATABASE = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    TransactionAutoConfiguration.class,
                    PostriderAutoConfiguration.class,
                    InboxAutoConfiguration.class,
                    OnceAutoConfiguration.class,
                    RelayAutoConfiguration.class))
            .withPropertyValues(
                    "spring.application.name=shop",
                    "postrider.schema.initialize=always",
                    "postrider.relay.enabled=false");

    private static ApplicationContextRunner application() {
        return WITHOUT_DATABASE
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class))
                .withPropertyValues("spring.datasource.hikari.maximum-pool-size=3")
                .withPropertyValues(TestDatabase.properties(TestDatabase.create()));
    }

    private static ApplicationContextRunner statistics() {
        return application()
                .withBean(Statistics.class)
                .withInitializer(context -> context.addApplicationListener(event -> {
                    if (event instanceof org.springframework.context.event.ContextRefreshedEvent refreshed) {
                        refreshed
                                .getApplicationContext()
                                .getBean(JdbcTemplate.class)
                                .execute("create table counted (what text)");
                    }
                }));
    }

    private static ReceivedEvent received(String id) {
        return new ReceivedEvent(
                id,
                "shop.order.paid",
                "shop",
                null,
                "Order",
                "o-1",
                Payload.json("{}"),
                Map.of(),
                Map.of(),
                null,
                new Origin("order-events", 0, 0, Instant.EPOCH));
    }

    private static OutboxEvent written() {
        return OutboxEvent.builder("shop.order.paid")
                .aggregate("Order", "o-1")
                .json("{}")
                .build();
    }

    private static List<String> counted(ApplicationContext context) {
        return context.getBean(JdbcTemplate.class).queryForList("select what from counted order by what", String.class);
    }

    @Test
    void eventIsHandledOnceInTheCallersTransaction(CapturedOutput output) {
        statistics().run(context -> {
            Statistics statistics = context.getBean(Statistics.class);
            TransactionTemplate transactions = context.getBean(TransactionTemplate.class);
            transactions.executeWithoutResult(status -> {
                statistics.inTheCallersTransaction(received("e-1"));
                status.setRollbackOnly();
            });
            assertThat(counted(context)).isEmpty();
            for (int times = 0; times < 3; times++) {
                transactions.executeWithoutResult(status -> statistics.inTheCallersTransaction(received("e-1")));
            }

            assertThat(counted(context)).containsExactly("event");
            assertThat(output).contains("Already processed: event e-1");
            assertThatThrownBy(() -> statistics.inTheCallersTransaction(received("e-2")))
                    .isInstanceOf(NoTransactionException.class);
        });
    }

    @Test
    void transactionOfTheSameMethodHasTheMarkToo() {
        statistics().run(context -> {
            Statistics statistics = context.getBean(Statistics.class);
            OutboxEvent event = written();
            assertThatThrownBy(() -> statistics.inItsOwn(event, true)).hasMessage("on purpose");
            assertThat(counted(context)).isEmpty();

            assertThat(statistics.inItsOwn(event, false)).isEqualTo("done");
            assertThat(statistics.inItsOwn(event, false)).isNull();
            assertThat(counted(context)).containsExactly("own");
        });
    }

    @Test
    void actionIsDoneOnceForEachAggregateWhicheverEventAsks(CapturedOutput output) {
        statistics().run(context -> {
            Statistics statistics = context.getBean(Statistics.class);
            statistics.sold(received("e-1"));
            statistics.sold(received("e-2"));
            statistics.viewed(new Statistics.Viewed("p-1", "e-1"));
            statistics.viewed(new Statistics.Viewed("p-1", "e-1"));
            statistics.viewed(new Statistics.Viewed("p-1", "e-2"));
            statistics.byExpression("e-1");
            statistics.byExpression("e-1");

            assertThat(counted(context)).containsExactly("expression", "sold", "viewed", "viewed");
            assertThat(context.getBean(JdbcTemplate.class)
                            .queryForList("select distinct consumer from inbox order by 1", String.class))
                    .containsExactly("sales", "shop", "statistics");
            // Quiet unless asked: of actions that is normal.
            assertThat(output).doesNotContain("SALES_COUNT_INCREASED");
        });
    }

    @Test
    void batchIsHandledWithoutWhatWasHandledBefore() {
        statistics().run(context -> {
            Statistics statistics = context.getBean(Statistics.class);
            statistics.batch(List.of(received("e-1"), received("e-2"), received("e-1")));
            statistics.batch(List.of(received("e-2"), received("e-3")));
            statistics.batch(List.of(received("e-3")));

            assertThat(counted(context)).containsExactly("batch e-1", "batch e-2", "batch e-3");
        });
    }

    @Test
    void oldMarksAreForgottenOnlyIfSomebodySaysSo() {
        statistics().run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(MarksPurge.class));
        statistics().withPropertyValues("postrider.inbox.retention=7d").run(context -> {
            Statistics statistics = context.getBean(Statistics.class);
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            statistics.byExpression("old");
            statistics.viewed(new Statistics.Viewed("p-1", "old"));
            jdbc.update("update inbox set handled_at = handled_at - interval '8 days'");
            statistics.byExpression("young");
            assertThat(context.getBean(MarksPurge.class).isRunning()).isTrue();

            AtomicReference<Instant> clock = new AtomicReference<>(Instant.parse("2026-01-02T01:59:59.990Z"));
            AtomicInteger looks = new AtomicInteger();
            MarksPurge nightly = new MarksPurge(
                    context.getBean(Inboxes.class)::all,
                    context.getBean(DataSource.class),
                    () -> {
                        looks.incrementAndGet();
                        return clock.get();
                    },
                    Duration.ofDays(7),
                    Schedule.daily(LocalTime.of(2, 0), ZoneOffset.UTC));
            nightly.start();
            try {
                await().atMost(LONG).until(() -> looks.get() > 3);
                assertThat(marks(jdbc)).hasSize(3);
                clock.set(Instant.parse("2026-01-02T02:00:00Z"));
                await().atMost(LONG).untilAsserted(() -> assertThat(marks(jdbc)).containsExactly("young"));
            } finally {
                nightly.stop();
            }
        });
        assertRefused(statistics().withPropertyValues("postrider.inbox.retention=0s"), "postrider.inbox.retention");
    }

    private static List<String> marks(JdbcTemplate jdbc) {
        return jdbc.queryForList("select subject from inbox", String.class);
    }

    private static void assertRefused(ApplicationContextRunner application, String... words) {
        application.run(context -> assertThat(getMostSpecificCause(context.getStartupFailure()))
                .isInstanceOf(PostriderStartException.class)
                .hasMessageContainingAll(words));
    }

    static class NamesNothing {
        @HandleOnce
        public void on(String text) {}
    }

    static class NamesAnActionWithoutAnAggregate {
        @HandleOnce(action = "COUNTED")
        public void on(String text) {}
    }

    static class NamesAnAggregateWithoutAnAction {
        @HandleOnce(aggregateType = "Order")
        public void on(ReceivedEvent event) {}
    }

    static class ReturnsANumber {
        @HandleOnce
        public int on(ReceivedEvent event) {
            return 1;
        }
    }

    static class HasABrokenExpression {
        @HandleOnce(eventId = "#text(")
        public void on(String text) {}
    }

    static class DoesAnActionForABatch {
        @HandleOnce(action = "COUNTED")
        public void on(List<ReceivedEvent> events) {}
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                NamesNothing.class,
                NamesAnActionWithoutAnAggregate.class,
                NamesAnAggregateWithoutAnAction.class,
                ReturnsANumber.class,
                HasABrokenExpression.class,
                DoesAnActionForABatch.class
            })
    void methodOfWhichItIsNotClearWhatIsMarkedIsRefused(Class<?> bean) {
        assertRefused(WITHOUT_DATABASE.withBean(bean), bean.getName() + ".on", "Either it counts events");
    }

    static class Counter {
        @HandleOnce
        public void on(OutboxEvent event) {}
    }

    @Test
    void withoutADataSourceItIsRefused() {
        assertRefused(WITHOUT_DATABASE.withBean(Counter.class), "no inbox", "data source");
        WITHOUT_DATABASE.run(context -> assertThat(context).hasNotFailed());
    }
}
