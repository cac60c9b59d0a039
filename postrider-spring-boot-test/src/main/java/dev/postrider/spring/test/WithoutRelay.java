package dev.postrider.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.test.context.TestPropertySource;

/**
 * For a {@code @SpringBootTest} that needs no broker: the application writes events, and nothing delivers them.
 * {@link PublishedEvents} tells what would be published. {@code postrider-devservices} starts no Kafka.
 *
 * <p>Sets {@code postrider.relay.enabled} and {@code postrider.devservices.kafka} to false.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@TestPropertySource(properties = {"postrider.relay.enabled=false", "postrider.devservices.kafka=false"})
public @interface WithoutRelay {}
