package dev.postrider.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;
import org.springframework.kafka.annotation.KafkaListener;

/**
 * A method of a bean that handles events from topics of Kafka: a {@link KafkaListener} on a container factory of its own, so
 * that error handlers and converters of the application's other listeners stay as they are.
 *
 * <pre>{@code
 * @PostriderListener("order-events")
 * void assess(ReceivedEvent event) { .. }
 * }</pre>
 *
 * <p>The method takes a {@code ReceivedEvent}; or the payload, as text, bytes or whatever type the application's {@code JsonMapper}
 * can make of it, with {@code @Header} parameters beside it; or a {@code List} of either, which is a batch: all or nothing. It may
 * take an {@code Acknowledgment} too, and then has to acknowledge before it returns; otherwise returning is enough.
 *
 * <p>What it throws lets the record be tried again, and after the last retry the record goes to {@code TOPIC.dlq} with the
 * reason in its headers. A batch that fails is tried again record by record.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@KafkaListener(containerFactory = PostriderListener.CONTAINER_FACTORY, idIsGroup = false)
public @interface PostriderListener {
    /** The bean name of the container factory. */
    String CONTAINER_FACTORY = "postriderListenerContainerFactory";

    /** The topics. */
    @AliasFor(annotation = KafkaListener.class, attribute = "topics")
    String[] value() default {};

    /** The topics. */
    @AliasFor(annotation = KafkaListener.class, attribute = "topics")
    String[] topics() default {};

    /** Instead of {@link #topics}: a pattern of their names. It must not match the dead letter topics. */
    @AliasFor(annotation = KafkaListener.class, attribute = "topicPattern")
    String topicPattern() default "";

    /** The consumer group. By default {@code postrider.listener.group}. */
    @AliasFor(annotation = KafkaListener.class, attribute = "groupId")
    String groupId() default "";

    /** Name of the container in Spring Kafka's registry. It is not the group. */
    @AliasFor(annotation = KafkaListener.class, attribute = "id")
    String id() default "";

    /** How many consumers of the group this listener is. By default {@code postrider.listener.concurrency}. */
    @AliasFor(annotation = KafkaListener.class, attribute = "concurrency")
    String concurrency() default "";

    /** Whether it starts with the application. By default it does. */
    @AliasFor(annotation = KafkaListener.class, attribute = "autoStartup")
    String autoStartup() default "";

    /** Properties of Kafka's consumer, over those of {@code postrider.listener.properties}, each as {@code name=value}. */
    @AliasFor(annotation = KafkaListener.class, attribute = "properties")
    String[] properties() default {};
}
