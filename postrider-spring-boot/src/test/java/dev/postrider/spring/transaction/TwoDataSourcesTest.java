package dev.postrider.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.NoTransactionException;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.internal.spring.transaction.BegunTransactions;
import dev.postrider.internal.spring.transaction.OutboxDataSource;
import dev.postrider.internal.spring.transaction.SpringTransaction;
import dev.postrider.spring.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application with two databases, each with a transaction manager of its own; the outbox is in one of them. */
class TwoDataSourcesTest {
    private static HikariDataSource shop;
    private static HikariDataSource archive;
    private static final BegunTransactions begun = new BegunTransactions();

    private final String order = UUID.randomUUID().toString();
    private final TransactionTemplate inShop = transactionsOf(shop);
    private final TransactionTemplate inArchive = transactionsOf(archive);
    private final Outbox outbox = outboxIn(shop);

    @BeforeAll
    static void twoDatabases() {
        shop = pool();
        archive = pool();
        OutboxSchema.migrate(shop, OutboxTable.DEFAULT);
    }

    /** Without autocommit, so that that alone does not tell whether there is a transaction. */
    private static HikariDataSource pool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(TestDatabase.create());
        pool.setUsername(TestDatabase.user());
        pool.setPassword(TestDatabase.password());
        pool.setMaximumPoolSize(2);
        pool.setAutoCommit(false);
        return pool;
    }

    @AfterAll
    static void closeBoth() {
        shop.close();
        archive.close();
    }

    private static TransactionTemplate transactionsOf(DataSource dataSource) {
        JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
        begun.watch(manager);
        return new TransactionTemplate(manager);
    }

    private static Outbox outboxIn(DataSource dataSource, Object... otherBeans) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("shop", dataSource);
        for (Object bean : otherBeans) {
            beans.registerSingleton(bean.getClass().getName(), bean);
        }
        return Outbox.builder()
                .currentTransaction(new SpringTransaction(OutboxDataSource.find(beans, null), begun, beans))
                .build();
    }

    private void write(Outbox outbox) {
        outbox.write(OutboxEvent.builder("order.placed")
                .aggregate("order", order)
                .json("{}")
                .build());
    }

    private List<String> events() {
        return inShop.execute(status -> new JdbcTemplate(shop)
                .queryForList("select aggregate_id from outbox where aggregate_id = ?", String.class, order));
    }

    @Test
    void transactionOfItsOwnDataSourceIsJoined() {
        inShop.executeWithoutResult(status -> write(outbox));

        assertThat(events()).containsExactly(order);
    }

    @Test
    void transactionOfAnotherDataSourceIsRefused() {
        assertThatThrownBy(() -> inArchive.executeWithoutResult(status -> write(outbox)))
                .isInstanceOf(NoTransactionException.class)
                .hasMessageContaining("'shop'")
                .hasMessageContaining("postrider.data-source");
        assertThat(events()).isEmpty();
    }

    /** Spring binds the connection that the query gets, but nobody commits it. */
    @Test
    void connectionThatWasOnlyBorrowedIsRefused() {
        assertThatThrownBy(() -> inArchive.executeWithoutResult(status -> {
                    new JdbcTemplate(shop).queryForObject("select 1", Integer.class);
                    write(outbox);
                }))
                .isInstanceOf(NoTransactionException.class);
        assertThat(events()).isEmpty();
    }

    @Test
    void eventGoesWithItsOwnTransactionWhileAnotherIsOpen() {
        inArchive.executeWithoutResult(outer -> {
            inShop.executeWithoutResult(inner -> write(outbox));
            outer.setRollbackOnly();
        });

        assertThat(events()).containsExactly(order);
    }

    /** The connection of the outer one stays bound, and is none of the inner one's business. */
    @Test
    void transactionOfAnotherDataSourceInsideOneOfItsOwnIsRefused() {
        inShop.executeWithoutResult(outer -> {
            assertThatThrownBy(() -> inArchive.executeWithoutResult(inner -> write(outbox)))
                    .isInstanceOf(NoTransactionException.class)
                    .hasMessageContaining("'shop'");
        });
        assertThat(events()).isEmpty();

        inShop.executeWithoutResult(outer -> {
            inArchive.executeWithoutResult(inner -> {});
            write(outbox);
        });
        assertThat(events()).containsExactly(order);
    }

    @Test
    void proxiesOfItsDataSourceAreTheSameDataSource() {
        List<DataSource> proxies = List.of(
                new LazyConnectionDataSourceProxy(shop),
                new TransactionAwareDataSourceProxy(shop),
                new DelegatingDataSource(new LazyConnectionDataSourceProxy(shop)));

        for (DataSource proxy : proxies) {
            transactionsOf(proxy).executeWithoutResult(status -> write(outbox));
            inShop.executeWithoutResult(status -> write(outboxIn(proxy)));
        }

        assertThat(events()).hasSize(6);
    }

    @Test
    void routingDataSourceWithOneDatabaseIsThatDatabase() {
        Outbox routed = outboxIn(routing(Map.of("a", shop, "b", shop)));

        inShop.executeWithoutResult(status -> write(routed));

        assertThat(events()).containsExactly(order);
    }

    @Test
    void routingDataSourceWithSeveralDatabasesIsRefusedAtTheStart() {
        assertThatThrownBy(() -> outboxIn(routing(Map.of("a", shop, "b", archive))))
                .isInstanceOf(PostriderStartException.class)
                .hasMessageContaining("routes to several databases");
    }

    private static DataSource routing(Map<Object, Object> targets) {
        AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
            @Override
            protected Object determineCurrentLookupKey() {
                return "a";
            }
        };
        routing.setTargetDataSources(targets);
        routing.afterPropertiesSet();
        return routing;
    }

    @Test
    void refusalNamesJta() {
        Outbox withJta = outboxIn(shop, new JtaTransactionManager());

        assertThatThrownBy(() -> inArchive.executeWithoutResult(status -> write(withJta)))
                .isInstanceOf(NoTransactionException.class)
                .hasMessageContaining("JTA");
    }

    @Test
    void refusalNamesReactiveTransactions() {
        Outbox reactive = outboxIn(shop, new TransactionManager() {});

        assertThatThrownBy(() -> write(reactive))
                .isInstanceOf(NoTransactionException.class)
                .hasMessageContaining("reactive");
    }

    @Test
    void severalDataSourcesWithoutAPrimaryOneAreRefusedAtTheStart() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("shop", shop);
        beans.registerSingleton("archive", archive);

        assertThat(OutboxDataSource.find(beans, "archive").target()).isSameAs(archive);
        assertThatThrownBy(() -> OutboxDataSource.find(beans, null))
                .isInstanceOf(PostriderStartException.class)
                .hasMessageContaining("shop, archive");
        assertThatThrownBy(() -> OutboxDataSource.find(beans, "shopp"))
                .isInstanceOf(PostriderStartException.class)
                .hasMessageContaining("'shopp'");
    }
}
