package dev.postrider.spring.autoconfigure;

import dev.postrider.internal.spring.inbox.MarksPurge;
import dev.postrider.internal.spring.relay.NotifierLifecycle;
import dev.postrider.internal.spring.relay.RelayDestination;
import dev.postrider.internal.spring.relay.RelayLifecycle;
import dev.postrider.internal.spring.settings.OutboxBinder;
import dev.postrider.metrics.RelayMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/** The relay of each outbox below {@code postrider.outboxes}, apart from all others: its own connections, threads and circuit. */
final class FurtherRelays implements ImportBeanDefinitionRegistrar {
    private final Environment environment;
    private final ConfigurableListableBeanFactory beans;

    FurtherRelays(Environment environment, BeanFactory beans) {
        this.environment = environment;
        this.beans = (ConfigurableListableBeanFactory) beans;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        for (String name : OutboxBinder.names(environment)) {
            Supplier<OutboxParts> parts = () -> beans.getBean(OutboxParts.bean(name), OutboxParts.class);
            PostriderProperties properties = FurtherOutboxes.properties(environment, name);
            if (!properties.relay().enabled()) {
                FurtherOutboxes.register(
                        registry,
                        "postriderNotifier-" + name,
                        name,
                        NotifierLifecycle.class,
                        () -> parts.get().newNotifier());
                continue;
            }
            FurtherOutboxes.register(
                    registry,
                    OutboxParts.destinationBean(name),
                    name,
                    RelayDestination.class,
                    () -> parts.get().newDestination());
            FurtherOutboxes.register(
                    registry,
                    OutboxParts.relayBean(name),
                    name,
                    RelayLifecycle.class,
                    () -> parts.get().newRelay());
            if (ClassUtils.isPresent("io.micrometer.core.instrument.MeterRegistry", beans.getBeanClassLoader())) {
                Meters.register(name, beans, registry);
            }
            if (properties.relay().destination() == PostriderProperties.Destination.HANDLERS
                    && properties.inbox().retention() != null) {
                FurtherOutboxes.register(
                        registry,
                        "postriderMarksPurge-" + name,
                        name,
                        MarksPurge.class,
                        () -> parts.get().newPurge());
            }
        }
    }

    /** Apart, since Micrometer may not be there. */
    private static final class Meters {
        static void register(String name, ConfigurableListableBeanFactory beans, BeanDefinitionRegistry registry) {
            if (BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, MeterRegistry.class, true, false).length
                    > 0) {
                FurtherOutboxes.register(
                        registry,
                        "postriderRelayMetrics-" + name,
                        name,
                        RelayMetrics.class,
                        () -> new RelayMetrics(beans.getBean(MeterRegistry.class), name));
            }
        }
    }
}
