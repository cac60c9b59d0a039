package dev.postrider.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method of a bean that handles events of the application's own outbox, in an application without a broker: with {@code
 * postrider.relay.destination=handlers} the relay calls it, at least once and in order per aggregate, with retries and dead
 * letters as for every destination. A type has one handler.
 *
 * <pre>{@code
 * @OutboxHandler("shop.order.paid")
 * void ship(OrderPaid paid) { .. }
 * }</pre>
 *
 * <p>The method returns nothing. It takes the payload, which is the whole {@link dev.postrider.OutboxEvent} if the parameter is of
 * that type, text or bytes if it is a {@code String} or a {@code byte[]}, and otherwise read as JSON by the application's {@code
 * JsonMapper}; or both, a payload and an {@code OutboxEvent}. It returns when the work is done; what it throws lets the
 * event be tried again.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface OutboxHandler {

    /** The types of events that it handles, for example {@code shop.order.paid}. */
    String[] value();

    /**
     * Name of the outbox whose events these are, one of {@code postrider.outboxes}. By default the main one, if that delivers to
     * handlers, or the only one that does.
     */
    String outbox() default "";

    /**
     * Whether each event is handled once, however often it comes: the method then runs in a transaction of the outbox's data
     * source, which also marks the event in the {@link dev.postrider.Inbox}. Work and mark commit together, or neither does.
     */
    boolean once() default false;

    /**
     * With {@link #once}: the bean name of the transaction manager. By default the only one, or the primary one; its
     * transactions have to be those of the outbox's data source.
     */
    String transactionManager() default "";
}
