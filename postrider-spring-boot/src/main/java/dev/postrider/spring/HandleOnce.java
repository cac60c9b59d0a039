package dev.postrider.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method of a bean that is called once for each event, or once for each action on an aggregate: the mark is written to the
 * inbox in the caller's transaction, so that the work and its mark commit together. Where there is a mark already, the method is
 * not called. Without a transaction it is refused; {@code @Transactional} may be on the same method.
 *
 * <pre>{@code
 * @Transactional
 * @HandleOnce
 * public void assess(ReceivedEvent event) { .. }
 *
 * @Transactional
 * @HandleOnce(aggregateType = "Order", aggregateId = "#paid.orderId()", action = "SALES_COUNT_INCREASED")
 * public void count(OrderPaid paid) { .. }
 * }</pre>
 *
 * <p>The method is called through its bean, and returns nothing or an object, which is null if it is not called. If it takes a
 * {@code List} of events, it gets those that were not handled before.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface HandleOnce {

    /** Whose mark it is: others handle the same independently. By default {@code postrider.inbox.consumer}. */
    String consumer() default "";

    /**
     * The event's id, as an expression over the parameters such as {@code #id}. By default the id of the parameter that is a
     * {@code ReceivedEvent} or an {@code OutboxEvent}. Not with {@link #action}.
     */
    String eventId() default "";

    /** With {@link #action}: the aggregate's type. By default that of the parameter that is an event. */
    String aggregateType() default "";

    /**
     * With {@link #action}: the aggregate's id, as an expression over the parameters. By default that of the parameter that
     * is an event.
     */
    String aggregateId() default "";

    /** What is done once for each aggregate, whichever event asks for it. If empty, it is the event that counts. */
    String action() default "";
}
