package dev.postrider.spring.autoconfigure;

import dev.postrider.Outbox;
import dev.postrider.OutboxAdmin;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.internal.spring.settings.OutboxBinder;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * The write side of each outbox below {@code postrider.outboxes}: an {@link Outbox} and an {@link OutboxAdmin} with its name as
 * qualifier. Whoever asks by type alone gets those of the main outbox.
 */
final class FurtherOutboxes implements ImportBeanDefinitionRegistrar {
    /** What the outbox of {@code postrider} itself is called beside others. */
    static final String MAIN = "main";

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*");

    private final Environment environment;
    private final ConfigurableListableBeanFactory beans;

    FurtherOutboxes(Environment environment, BeanFactory beans) {
        this.environment = environment;
        this.beans = (ConfigurableListableBeanFactory) beans;
    }

    /** What is set for this outbox alone. */
    static PostriderProperties.FurtherOutbox own(Environment environment, String name) {
        return Binder.get(environment)
                .bindOrCreate("postrider.outboxes." + name, PostriderProperties.FurtherOutbox.class);
    }

    /** With what is set below {@code postrider} for whatever is not set for this outbox. */
    static PostriderProperties properties(Environment environment, String name) {
        return OutboxBinder.of(environment, name).bindOrCreate("", PostriderProperties.class);
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        for (String name : OutboxBinder.names(environment)) {
            if (!NAME.matcher(name).matches() || name.equals(MAIN)) {
                throw new PostriderStartException(
                        "postrider.outboxes." + name + " cannot be the name of an outbox.",
                        "Names are of lower-case letters and digits, begin with a letter, and are not 'main', which the"
                                + " outbox of postrider.* is called.");
            }
            RootBeanDefinition parts =
                    new RootBeanDefinition(OutboxParts.class, () -> OutboxParts.of(name, beans, environment));
            registry.registerBeanDefinition(OutboxParts.bean(name), parts);
            Supplier<OutboxParts> known = () -> beans.getBean(OutboxParts.bean(name), OutboxParts.class);
            register(
                    registry,
                    "postriderOutbox-" + name,
                    name,
                    Outbox.class,
                    () -> known.get().outbox());
            register(
                    registry,
                    OutboxParts.adminBean(name),
                    name,
                    OutboxAdmin.class,
                    () -> known.get().newAdmin());
        }
    }

    /** Found by whoever names the outbox. */
    static <T> void register(
            BeanDefinitionRegistry registry, String bean, String outbox, Class<T> type, Supplier<T> made) {
        RootBeanDefinition definition = new RootBeanDefinition(type, made);
        definition.setDefaultCandidate(false);
        definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, outbox));
        definition.setDestroyMethodName(RootBeanDefinition.INFER_METHOD);
        registry.registerBeanDefinition(bean, definition);
    }
}
