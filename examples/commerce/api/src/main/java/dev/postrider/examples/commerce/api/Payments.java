package dev.postrider.examples.commerce.api;

import dev.postrider.Outbox;
import dev.postrider.examples.commerce.api.event.DomainEvent.PaymentCreated;
import dev.postrider.examples.commerce.api.event.DomainEvent.PaymentFailed;
import dev.postrider.examples.commerce.api.event.DomainEvent.PaymentPaid;
import java.time.Instant;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The payments. One that succeeds pays its order in the same transaction. */
@Service
public class Payments {
    private final JdbcClient jdbc;
    private final Orders orders;
    private final Outbox outbox;

    Payments(JdbcClient jdbc, Orders orders, Outbox outbox) {
        this.jdbc = jdbc;
        this.orders = orders;
        this.outbox = outbox;
    }

    @Transactional
    public Payment create(UUID orderId) {
        Order order = orders.get(orderId);
        Payment payment = new Payment(UUID.randomUUID(), orderId, order.total(), Payment.Status.CREATED);
        jdbc.sql("insert into payment (id, order_id, amount, status) values (?, ?, ?, ?)")
                .params(
                        payment.id(),
                        payment.orderId(),
                        payment.amount(),
                        payment.status().name())
                .update();
        outbox.write(new PaymentCreated(Instant.now(), payment.id(), orderId, payment.amount()));
        return payment;
    }

    @Transactional
    public Payment confirm(UUID id) {
        Payment payment = moveOn(id, Payment.Status.PAID);
        outbox.write(new PaymentPaid(Instant.now(), id, payment.orderId(), payment.amount()));
        orders.paid(payment.orderId(), id);
        return payment;
    }

    @Transactional
    public Payment fail(UUID id, String reason) {
        Payment payment = moveOn(id, Payment.Status.FAILED);
        outbox.write(new PaymentFailed(Instant.now(), id, payment.orderId(), reason));
        return payment;
    }

    /** A payment that has come to an end stays so. */
    private Payment moveOn(UUID id, Payment.Status to) {
        int changed = jdbc.sql("update payment set status = ? where id = ? and status = 'CREATED'")
                .params(to.name(), id)
                .update();
        Payment payment = jdbc.sql("select id, order_id, amount, status from payment where id = ?")
                .param(id)
                .query(Payment.class)
                .optional()
                .orElseThrow(() -> new NotThereException("There is no payment " + id + "."));
        if (changed == 0) {
            throw new NotPossibleException("Payment " + id + " is " + payment.status() + ".");
        }
        return payment;
    }
}
