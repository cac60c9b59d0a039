package dev.postrider.spring.transaction;

import dev.postrider.Outbox;
import dev.postrider.PostriderException;
import java.io.IOException;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A service as users write it: data and event in one transaction. */
class Orders {
    private final OrderStore store;
    private final Outbox outbox;
    private final Invoices invoices;
    private final ApplicationEventPublisher publisher;

    Orders(OrderStore store, Outbox outbox, Invoices invoices, ApplicationEventPublisher publisher) {
        this.store = store;
        this.outbox = outbox;
        this.invoices = invoices;
        this.publisher = publisher;
    }

    /** Both services, on whatever the application saves its data with. */
    @Configuration(proxyBeanMethods = false)
    static class Beans {
        @Bean
        Invoices invoices(OrderStore store, Outbox outbox, ApplicationEventPublisher publisher) {
            return new Invoices(store, outbox, publisher);
        }

        @Bean
        Orders orders(OrderStore store, Outbox outbox, Invoices invoices, ApplicationEventPublisher publisher) {
            return new Orders(store, outbox, invoices, publisher);
        }
    }

    /** A service that the other one calls, with transactions of its own. */
    static class Invoices {
        private final OrderStore store;
        private final Outbox outbox;
        private final ApplicationEventPublisher publisher;

        Invoices(OrderStore store, Outbox outbox, ApplicationEventPublisher publisher) {
            this.store = store;
            this.outbox = outbox;
            this.publisher = publisher;
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void apart(String id, boolean fail) {
            write(id, fail);
        }

        @Transactional(propagation = Propagation.NESTED)
        public void nested(String id, boolean fail) {
            write(id, fail);
        }

        @Transactional(propagation = Propagation.NESTED)
        public void publishNested(String id) {
            publisher.publishEvent(new OrderPlaced(id, 1));
        }

        private void write(String id, boolean fail) {
            store.save(id);
            outbox.write(new OrderPlaced(id, 1));
            if (fail) {
                throw new IllegalStateException("on purpose");
            }
        }
    }

    @Transactional
    public void place(String id) {
        store.save(id);
        outbox.write(new OrderPlaced(id, 4200));
    }

    @Transactional
    public void writeOnly(String id) {
        outbox.write(new OrderPlaced(id, 4200));
    }

    @Transactional
    public void saveOnly(String id) {
        store.save(id);
    }

    /**
     * @param phases of the transaction, before whose commit or after whose end the rest is done
     */
    @Transactional
    public void placeAnd(String id, TransactionSynchronization phases, boolean fail) {
        place(id);
        TransactionSynchronizationManager.registerSynchronization(phases);
        if (fail) {
            throw new IllegalStateException("on purpose");
        }
    }

    @Transactional
    public void placeAndFail(String id) {
        place(id);
        throw new IllegalStateException("on purpose");
    }

    /** By Spring's rules this commits. */
    @Transactional
    public void placeAndThrowChecked(String id) throws IOException {
        place(id);
        throw new IOException("on purpose");
    }

    @Transactional(rollbackFor = IOException.class)
    public void placeAndRollBackForChecked(String id) throws IOException {
        place(id);
        throw new IOException("on purpose");
    }

    @Transactional(readOnly = true)
    public void placeReadOnly(String id) {
        outbox.write(new OrderPlaced(id, 1));
    }

    public void placeWithoutTransaction(String id) {
        outbox.write(new OrderPlaced(id, 1));
    }

    @Transactional
    public void placeAfterInvoiceApart(String id, String invoice) {
        invoices.apart(invoice, false);
        place(id);
        throw new IllegalStateException("on purpose");
    }

    @Transactional
    public void placeThoughInvoiceApartFails(String id, String invoice) {
        place(id);
        try {
            invoices.apart(invoice, true);
        } catch (IllegalStateException e) {
            // Its transaction is its own.
        }
    }

    @Transactional
    public void placeThoughNestedInvoiceFails(String id, String invoice) {
        place(id);
        try {
            invoices.nested(invoice, true);
        } catch (IllegalStateException e) {
            // Undone to its savepoint.
        }
    }

    @Transactional
    public void publishPlaced(String id) {
        store.save(id);
        publisher.publishEvent(new OrderPlaced(id, 4200));
    }

    /** As an error handler of listeners does, or somebody who does not mind. */
    @Transactional
    public void placeThoughPublicationFails(String id) {
        place(id);
        try {
            publisher.publishEvent(new OrderPlaced(null, 1));
        } catch (PostriderException e) {
            // Nobody hears of it.
        }
    }

    @Transactional
    public void placeThoughNestedPublicationFails(String id) {
        place(id);
        try {
            invoices.publishNested(null);
        } catch (PostriderException e) {
            // Undone to its savepoint.
        }
    }

    @Transactional
    public void placeAfterFailedPublicationAndUndoneInvoice(String id, String invoice) {
        placeThoughPublicationFails(id);
        try {
            invoices.nested(invoice, true);
        } catch (IllegalStateException e) {
            // Undone to its savepoint.
        }
    }

    @Transactional
    public void placeWithNestedInvoice(String id, String invoice) {
        place(id);
        invoices.nested(invoice, false);
    }
}
