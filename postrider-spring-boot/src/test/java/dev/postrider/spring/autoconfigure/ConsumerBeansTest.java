package dev.postrider.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.CurrentTransaction;
import dev.postrider.Inbox;
import dev.postrider.NamedLocks;
import dev.postrider.NoTransactionException;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxMode;
import dev.postrider.spring.TestDatabase;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

/** What applications use beside the outbox: they do so in the transactions in which they write. */
class ConsumerBeansTest {
    private static final ApplicationContextRunner APPLICATION = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    JdbcTemplateAutoConfiguration.class,
                    TransactionAutoConfiguration.class,
                    PostriderAutoConfiguration.class,
                    InboxAutoConfiguration.class,
                    RelayAutoConfiguration.class))
            .withPropertyValues(
                    "spring.application.name=shop",
                    "spring.datasource.hikari.maximum-pool-size=3",
                    "postrider.schema.initialize=always",
                    "postrider.relay.enabled=false");

    private static ApplicationContextRunner on(String url) {
        return APPLICATION.withPropertyValues(TestDatabase.properties(url));
    }

    static Stream<String> databases() {
        return Stream.of(TestDatabase.create(), TestDatabase.createOnMariaDb());
    }

    private static TransactionTemplate transactions(ApplicationContext context) {
        return context.getBean(TransactionTemplate.class);
    }

    @ParameterizedTest
    @MethodSource("databases")
    void markOfTheInboxSharesTheFateOfTheTransaction(String url) {
        on(url).run(context -> {
            Inbox inbox = context.getBean(Inbox.class);
            transactions(context).executeWithoutResult(status -> {
                assertThat(inbox.mark("e-1")).isTrue();
                status.setRollbackOnly();
            });
            transactions(context)
                    .executeWithoutResult(
                            status -> assertThat(inbox.mark("e-1")).isTrue());
            transactions(context)
                    .executeWithoutResult(
                            status -> assertThat(inbox.mark("e-1")).isFalse());

            assertThat(context.getBean(JdbcTemplate.class).queryForList("select consumer from inbox", String.class))
                    .containsExactly("shop");
            assertThatThrownBy(() -> inbox.mark("e-2")).isInstanceOf(NoTransactionException.class);
        });
    }

    @ParameterizedTest
    @MethodSource("databases")
    void lockIsHeldByTheTransaction(String url) {
        on(url).run(context -> {
            NamedLocks locks = context.getBean(NamedLocks.class);
            assertThatThrownBy(() -> locks.hold("member-1")).isInstanceOf(NoTransactionException.class);
            transactions(context).executeWithoutResult(outer -> {
                locks.hold("member-1");
                TransactionTemplate apart =
                        new TransactionTemplate(transactions(context).getTransactionManager());
                apart.setPropagationBehavior(TransactionTemplate.PROPAGATION_REQUIRES_NEW);
                apart.executeWithoutResult(
                        inner -> assertThat(locks.tryHold("member-1")).isFalse());
            });
            transactions(context)
                    .executeWithoutResult(
                            status -> assertThat(locks.tryHold("member-1")).isTrue());
        });
    }

    @Test
    void tablesOfTheInboxAreMadeIfSomebodyUsesIt() {
        on(TestDatabase.create())
                .withPropertyValues("postrider.inbox.table=handled")
                .run(context -> {
                    String sql =
                            "select count(*) from information_schema.tables where table_name in ('inbox', 'handled')";
                    JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
                    assertThat(jdbc.queryForObject(sql, Long.class)).isZero();

                    context.getBean(NamedLocks.class);
                    assertThat(jdbc.queryForObject(sql, Long.class)).isEqualTo(1);
                });
    }

    @Test
    void withNeverTheTablesOfTheInboxAreNotMade() {
        String url = TestDatabase.create();
        on(url).run(context -> assertThat(context).hasNotFailed());
        on(url).withPropertyValues("postrider.schema.initialize=never").run(context -> {
            Inbox inbox = context.getBean(Inbox.class);
            assertThatThrownBy(() -> transactions(context).executeWithoutResult(status -> inbox.mark("e-1")))
                    .hasMessageContaining("inbox");
        });
    }

    @Test
    void inboxNeedsANameForItsConsumer() {
        ApplicationContextRunner nameless = on(TestDatabase.create()).withPropertyValues("spring.application.name=");
        nameless.run(context -> {
            assertThat(context).hasNotFailed();
            assertThatThrownBy(() -> context.getBean(Inbox.class))
                    .rootCause()
                    .hasMessageContaining("postrider.inbox.consumer");
        });
        nameless.withPropertyValues("postrider.inbox.consumer=billing").run(context -> {
            Inbox inbox = context.getBean(Inbox.class);
            transactions(context).executeWithoutResult(status -> inbox.mark("e-1"));
            assertThat(context.getBean(JdbcTemplate.class).queryForList("select consumer from inbox", String.class))
                    .containsExactly("billing");
        });
    }

    /** What operators do stays done, also where the data source hands out the connection of the transaction. */
    @Test
    void adminIsInNoTransactionOfTheCaller() {
        on(TestDatabase.create()).withBean(TransactionAware.class).run(context -> {
            assertThat(context.getBean(DataSource.class)).isInstanceOf(TransactionAwareDataSourceProxy.class);
            OutboxAdmin admin = context.getBean(OutboxAdmin.class);
            assertThat(admin.layout().mode()).isEqualTo(OutboxMode.LOG);

            transactions(context).executeWithoutResult(status -> {
                admin.pause("somebody", "on purpose");
                status.setRollbackOnly();
            });

            assertThat(admin.status().pause()).isNotNull();
        });
    }

    static final class TransactionAware implements BeanPostProcessor {
        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof DataSource dataSource && !(bean instanceof TransactionAwareDataSourceProxy)
                    ? new TransactionAwareDataSourceProxy(dataSource)
                    : bean;
        }
    }

    @Test
    void beansOfTheApplicationsOwnWin() {
        Inbox inbox = Inbox.of("own");
        NamedLocks locks = NamedLocks.create();
        CurrentTransaction transaction = new CurrentTransaction() {
            @Override
            public java.sql.Connection connection() {
                throw new NoTransactionException("This one says so.");
            }

            @Override
            public void afterCommit(Runnable action) {}
        };
        OutboxAdmin admin =
                OutboxAdmin.builder(new TransactionAwareDataSourceProxy()).build();
        on(TestDatabase.create())
                .withBean("a", Inbox.class, () -> inbox)
                .withBean("b", NamedLocks.class, () -> locks)
                .withBean("c", OutboxAdmin.class, () -> admin)
                .withBean("d", CurrentTransaction.class, () -> transaction)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(List.of(
                                    context.getBean(Inbox.class),
                                    context.getBean(NamedLocks.class),
                                    context.getBean(OutboxAdmin.class),
                                    context.getBean(CurrentTransaction.class)))
                            .containsExactly(inbox, locks, admin, transaction);
                });
    }

    @Test
    void disabledThereIsNothing() {
        on(TestDatabase.create())
                .withPropertyValues("postrider.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(Inbox.class)
                        .doesNotHaveBean(NamedLocks.class)
                        .doesNotHaveBean(OutboxAdmin.class));
    }
}
