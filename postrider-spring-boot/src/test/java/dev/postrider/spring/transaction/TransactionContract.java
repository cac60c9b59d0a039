package dev.postrider.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.postrider.NoTransactionException;
import dev.postrider.PostriderException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionTemplate;

/** Event and data are always together, however an application saves its data. */
abstract class TransactionContract {
    @Autowired
    Orders orders;

    @Autowired
    JdbcTemplate jdbc;

    @Autowired
    DataSource dataSource;

    @Autowired
    ApplicationEventPublisher publisher;

    final String order = UUID.randomUUID().toString();
    final String invoice = UUID.randomUUID().toString();

    @Test
    void commitKeepsEventAndData() {
        orders.place(order);

        assertThat(events()).containsExactly(order);
        assertThat(data()).containsExactly(order);
    }

    @Test
    void exceptionAfterWritingDropsEventAndData() {
        assertThatThrownBy(() -> orders.placeAndFail(order)).hasMessage("on purpose");

        assertThat(events()).isEmpty();
        assertThat(data()).isEmpty();
    }

    @Test
    void rollbackRulesCountForTheEventToo() {
        assertThatThrownBy(() -> orders.placeAndThrowChecked(order)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> orders.placeAndRollBackForChecked(invoice)).isInstanceOf(IOException.class);

        assertThat(events()).containsExactly(order);
        assertThat(data()).containsExactly(order);
    }

    @Test
    void innerTransactionOfItsOwnOutlivesTheOuterOne() {
        assertThatThrownBy(() -> orders.placeAfterInvoiceApart(order, invoice)).hasMessage("on purpose");

        assertThat(events()).containsExactly(invoice);
        assertThat(data()).containsExactly(invoice);
    }

    @Test
    void innerTransactionOfItsOwnFailsAlone() {
        orders.placeThoughInvoiceApartFails(order, invoice);

        assertThat(events()).containsExactly(order);
        assertThat(data()).containsExactly(order);
    }

    /** Its connection is still bound then, and what is written goes on its own way: or nowhere. */
    @Test
    void whatIsWrittenAfterTheEndOfATransactionIsRefused() {
        List<Throwable> refused = new ArrayList<>();
        TransactionSynchronization late = new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                refused.add(catchThrowable(() -> orders.placeWithoutTransaction(invoice)));
            }

            @Override
            public void afterCompletion(int status) {
                refused.add(catchThrowable(() -> orders.placeWithoutTransaction(invoice)));
            }
        };

        orders.placeAnd(order, late, false);
        assertThatThrownBy(() -> orders.placeAnd(invoice, late, true)).hasMessage("on purpose");

        assertThat(refused).hasSize(3).hasOnlyElementsOfType(NoTransactionException.class);
        assertThat(events()).containsExactly(order);
        assertThat(data()).containsExactly(order);
    }

    /** Spring lets a service take part in a transaction that has ended, as long as its connection is bound. */
    @Test
    void serviceCalledAfterTheEndOfATransactionIsRefusedToo() {
        List<Throwable> refused = new ArrayList<>();
        TransactionSynchronization late = new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                refused.add(catchThrowable(() -> orders.writeOnly(invoice)));
            }

            @Override
            public void afterCompletion(int status) {
                refused.add(catchThrowable(() -> orders.writeOnly(invoice)));
            }
        };

        orders.placeAnd(order, late, false);

        assertThat(refused).hasSize(2).hasOnlyElementsOfType(NoTransactionException.class);
        assertThat(events()).containsExactly(order);
        orders.place(invoice);
        assertThat(events()).containsExactlyInAnyOrder(order, invoice);
    }

    /** Of one that fails in this way, no manager tells its listeners that it has ended. */
    @Test
    void transactionThatFailsBeforeItsCommitIsForgotten() {
        TransactionSynchronization failing = new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                throw new TransactionSystemException("on purpose");
            }
        };
        assertThatThrownBy(() -> orders.placeAnd(invoice, failing, false)).hasMessage("on purpose");

        unwatched().executeWithoutResult(status -> orders.placeWithoutTransaction(order));

        assertThat(events()).contains(order);
    }

    @Test
    void failureToCaptureIsKeptByATransactionWhoseManagerIsNoBean() {
        assertThatThrownBy(() -> unwatched().executeWithoutResult(status -> {
                    orders.placeWithoutTransaction(order);
                    catchThrowable(() -> publisher.publishEvent(new OrderPlaced(null, 1)));
                }))
                .isInstanceOf(PostriderException.class);

        assertThat(events()).isEmpty();
    }

    private TransactionTemplate unwatched() {
        return new TransactionTemplate(new DataSourceTransactionManager(dataSource));
    }

    @Test
    void whatIsWrittenJustBeforeTheCommitIsInTheTransaction() {
        TransactionSynchronization last = new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                orders.placeWithoutTransaction(invoice);
            }
        };

        orders.placeAnd(order, last, false);

        assertThat(events()).containsExactlyInAnyOrder(order, invoice);
    }

    @Test
    void readOnlyTransactionIsRefused() {
        assertThatThrownBy(() -> orders.placeReadOnly(order))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("is read-only");
        assertThat(events()).isEmpty();
    }

    @Test
    void noTransactionIsRefused() {
        assertThatThrownBy(() -> orders.placeWithoutTransaction(order))
                .isInstanceOf(NoTransactionException.class)
                .hasMessageContaining("@Transactional");
        assertThat(events()).isEmpty();
    }

    @Test
    void publishedEventIsInTheTransaction() {
        orders.publishPlaced(order);

        assertThat(events()).containsExactly(order);
        assertThat(data()).containsExactly(order);
    }

    @Test
    void publishedEventThatCannotBeWrittenRollsTheTransactionBackThoughSomebodyCatchesIt() {
        assertThatThrownBy(() -> orders.placeThoughPublicationFails(order))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("could not be written to the outbox");

        assertThat(events()).isEmpty();
        assertThat(data()).isEmpty();
    }

    List<String> events() {
        return jdbc.queryForList(
                "select aggregate_id from outbox where aggregate_id in (?, ?)", String.class, order, invoice);
    }

    List<String> data() {
        return jdbc.queryForList("select id from orders where id in (?, ?)", String.class, order, invoice);
    }
}
