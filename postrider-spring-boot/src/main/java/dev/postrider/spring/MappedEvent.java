package dev.postrider.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a domain event one that {@code outbox.write(event)} takes as it is. The payload is the event as JSON, written by the
 * application's {@code JsonMapper}. For events that need more, such as headers or a key of their own, or that are to know
 * nothing of Postrider, declare an {@link dev.postrider.EventMapping} bean instead; of both, the bean wins.
 *
 * <pre>{@code
 * @MappedEvent(type = "shop.order.placed", aggregateType = "order", aggregateId = "orderId")
 * record OrderPlaced(String orderId, BigDecimal total) {}
 * }</pre>
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface MappedEvent {

    /** The event's type, for example {@code shop.order.placed}. */
    String type();

    /** What kind of thing it happened to, for example {@code order}. */
    String aggregateType();

    /** The name of the record's component (or of the class's property) that identifies that thing. */
    String aggregateId();
}
