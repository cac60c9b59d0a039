package dev.postrider.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.CurrentTransaction;
import dev.postrider.Outbox;
import dev.postrider.PostriderException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.transaction.support.TransactionTemplate;

/** What counts beside {@link TransactionContract} where transactions are those of JDBC, which have savepoints. */
abstract class SavepointContract extends TransactionContract {
    @Autowired
    TransactionTemplate transactions;

    @Autowired
    CurrentTransaction current;

    @Autowired
    Outbox outbox;

    @Test
    void savepointUndoesItsEventsOnly() {
        orders.placeThoughNestedInvoiceFails(order, invoice);

        assertThat(events()).containsExactly(order);
        assertThat(data()).containsExactly(order);
    }

    @Test
    void savepointThatIsReleasedKeepsItsEvents() {
        orders.placeWithNestedInvoice(order, invoice);

        assertThat(events()).containsExactlyInAnyOrder(order, invoice);
    }

    /** What could not be written there is undone with it: there is nothing that the rest would contradict. */
    @Test
    void savepointUndoesAFailureToWriteToo() {
        orders.placeThoughNestedPublicationFails(order);

        assertThat(events()).containsExactly(order);
        assertThat(data()).containsExactly(order);
    }

    @Test
    void savepointDoesNotUndoAFailureToWriteBeforeIt() {
        assertThatThrownBy(() -> orders.placeAfterFailedPublicationAndUndoneInvoice(order, invoice))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("could not be written to the outbox");

        assertThat(events()).isEmpty();
        assertThat(data()).isEmpty();
    }

    @Test
    void actionRunsOnceAfterTheCommitAndNeverBefore() {
        List<String> seen = new ArrayList<>();
        Runnable action = () -> seen.add("after");

        transactions.executeWithoutResult(status -> {
            current.afterCommit(action);
            current.afterCommit(action);
            seen.add("inside");
        });
        transactions.executeWithoutResult(status -> {
            current.afterCommit(action);
            status.setRollbackOnly();
        });

        assertThat(seen).containsExactly("inside", "after");
    }

    @Test
    void sourceIsTheApplicationsName() {
        orders.place(order);

        assertThat(jdbc.queryForObject("select source from outbox where aggregate_id = ?", String.class, order))
                .isEqualTo("shop");
    }

    @Test
    void collectionOfDomainEventsIsWrittenInItsOrder() {
        transactions.executeWithoutResult(
                status -> outbox.write(List.of(new OrderPlaced(order, 1), new OrderPlaced(invoice, 2))));

        assertThat(jdbc.queryForList(
                        "select aggregate_id from outbox where aggregate_id in (?, ?) order by id",
                        String.class,
                        order,
                        invoice))
                .containsExactly(order, invoice);
    }
}
