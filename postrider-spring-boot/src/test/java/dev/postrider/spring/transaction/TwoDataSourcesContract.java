package dev.postrider.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.NoTransactionException;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.internal.spring.transaction.BegunTransactions;
import dev.postrider.internal.spring.transaction.OutboxDataSource;
import dev.postrider.internal.spring.transaction.SpringTransaction;
import dev.postrider.spring.TestDatabase;
import jakarta.transaction.Status;
import jakarta.transaction.UserTransaction;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application with two databases, each with a transaction manager of its own; the outbox is in one of them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TwoDataSourcesContract {
    private final BegunTransactions begun = new BegunTransactions();
    private final HikariDataSource shop;
    private final HikariDataSource archive;
    private TransactionTemplate inShop;
    private TransactionTemplate inArchive;
    private Outbox outbox;
    private String order;

    /** Without autocommit, so that that alone does not tell whether there is a transaction. */
    static HikariDataSource pool(String url) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setUsername(TestDatabase.user(url));
        pool.setPassword(TestDatabase.password(url));
        pool.setMaximumPoolSize(2);
        pool.setAutoCommit(false);
        return pool;
    }

    /**
     * @param shop the URL of the database that the outbox is in
     */
    TwoDataSourcesContract(String shop, String archive) {
        this.shop = pool(shop);
        this.archive = pool(archive);
    }

    abstract AbstractPlatformTransactionManager managerOf(DataSource dataSource);

    @BeforeAll
    void twoDatabases() {
        OutboxSchema.migrate(shop, OutboxTable.DEFAULT);
        inShop = transactionsOf(shop);
        inArchive = transactionsOf(archive);
        outbox = outboxIn(shop);
    }

    @BeforeEach
    void another() {
        order = UUID.randomUUID().toString();
    }

    @AfterAll
    void closeBoth() {
        shop.close();
        archive.close();
    }

    private TransactionTemplate transactionsOf(DataSource dataSource) {
        AbstractPlatformTransactionManager manager = managerOf(dataSource);
        begun.watch(manager);
        return new TransactionTemplate(manager);
    }

    private Outbox outboxIn(DataSource dataSource, Object... otherBeans) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("shop", dataSource);
        for (Object bean : otherBeans) {
            beans.registerSingleton(bean.getClass().getName(), bean);
        }
        return Outbox.builder()
                .currentTransaction(new SpringTransaction(
                        OutboxDataSource.find(beans, null, "postrider.data-source"), begun, beans))
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
    void failureToWriteFailsTheTransactionThatItHappenedInAndNoOther() {
        inShop.executeWithoutResult(outer -> {
            write(outbox);
            assertThatThrownBy(() -> inArchive.executeWithoutResult(
                            inner -> begun.fail("on purpose", new IllegalStateException("because"))))
                    .isInstanceOf(PostriderException.class)
                    .hasMessage("on purpose, so its transaction is rolled back: because");
        });

        assertThat(events()).containsExactly(order);
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

    /** With one of them too: which there are may change while the application runs. */
    @Test
    void routingDataSourceIsRefusedAtTheStart() {
        for (Map<Object, Object> targets : List.<Map<Object, Object>>of(
                Map.of("a", shop, "b", archive), Map.of("a", shop, "b", shop), Map.of("a", shop))) {
            assertThatThrownBy(() -> outboxIn(new DelegatingDataSource(routing(targets))))
                    .isInstanceOf(PostriderStartException.class)
                    .hasMessageContaining("routes to other ones")
                    .hasMessageContaining("postrider.data-source");
        }
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
    void refusalNamesJtaIfTheTransactionIsOne() {
        JtaTransactionManager jta = new JtaTransactionManager(new UserTransactionWithoutResources());
        begun.watch(jta);
        Outbox withJta = outboxIn(shop, jta);

        assertThatThrownBy(() -> new TransactionTemplate(jta).executeWithoutResult(status -> write(withJta)))
                .isInstanceOf(NoTransactionException.class)
                .hasMessageContaining("JTA");
        assertThatThrownBy(() -> inArchive.executeWithoutResult(status -> write(withJta)))
                .isInstanceOf(NoTransactionException.class)
                .hasMessageContaining("is not one of the data source 'shop'")
                .hasMessageNotContaining("JTA");
    }

    /** No transaction of a database: it only says whether it has begun. */
    private static final class UserTransactionWithoutResources implements UserTransaction {
        private int status = Status.STATUS_NO_TRANSACTION;

        @Override
        public void begin() {
            status = Status.STATUS_ACTIVE;
        }

        @Override
        public void commit() {
            status = Status.STATUS_NO_TRANSACTION;
        }

        @Override
        public void rollback() {
            status = Status.STATUS_NO_TRANSACTION;
        }

        @Override
        public void setRollbackOnly() {
            status = Status.STATUS_MARKED_ROLLBACK;
        }

        @Override
        public int getStatus() {
            return status;
        }

        @Override
        public void setTransactionTimeout(int seconds) {}
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

        assertThat(OutboxDataSource.find(beans, "archive", "postrider.data-source")
                        .target())
                .isSameAs(archive);
        assertThatThrownBy(() -> OutboxDataSource.find(beans, null, "postrider.data-source"))
                .isInstanceOf(PostriderStartException.class)
                .hasMessageContaining("shop, archive");
        assertThatThrownBy(() -> OutboxDataSource.find(beans, "shopp", "postrider.data-source"))
                .isInstanceOf(PostriderStartException.class)
                .hasMessageContaining("'shopp'");
    }
}
