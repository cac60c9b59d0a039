package dev.postrider.internal.spring.transaction;

import dev.postrider.internal.spring.failure.PostriderStartException;
import java.util.Arrays;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.NamedBeanHolder;
import org.springframework.core.env.Environment;
import org.springframework.core.type.MethodMetadata;

/**
 * The data source of the database that the outbox is in.
 *
 * @param name of its bean
 * @param bean as the application uses it, with whatever proxies there are
 * @param direct for connections of one's own, which are in no transaction of the calling thread; with the proxies that may do
 *     something to connections, and without those that do not
 * @param target the data source behind all proxies, which tells whether two data sources are the same
 * @param isOfSpringBoot whether Spring Boot has made it, from its connection details, and nobody has put anything in its place
 */
public record OutboxDataSource(
        String name, DataSource bean, DataSource direct, DataSource target, boolean isOfSpringBoot) {
    private static final String SPRING_BOOT = "org.springframework.boot.jdbc.autoconfigure.";

    /**
     * @param name of the bean; null for the only one, or the primary one
     * @param property that says so
     * @throws PostriderStartException if it is not clear which one that is, or where it leads
     */
    public static OutboxDataSource find(ConfigurableListableBeanFactory beans, @Nullable String name, String property) {
        NamedBeanHolder<DataSource> found = name == null ? primary(beans) : named(beans, name, property);
        DataSource target = TargetDataSource.of(found.getBeanInstance());
        if (TargetDataSource.isRouting(target)) {
            throw new PostriderStartException(
                    "The data source '" + found.getBeanName()
                            + "' routes to other ones, and Postrider cannot tell in which of their databases the outbox"
                            + " is.",
                    "Set " + property
                            + " to the bean of one of the databases behind it, and write events in transactions"
                            + " of that data source.");
        }
        return new OutboxDataSource(
                found.getBeanName(),
                found.getBeanInstance(),
                TargetDataSource.direct(found.getBeanInstance()),
                target,
                isOfSpringBoot(beans, found.getBeanName(), target));
    }

    private static boolean isOfSpringBoot(ConfigurableListableBeanFactory beans, String name, DataSource target) {
        if (!beans.containsBeanDefinition(name)
                || !(beans.getBeanDefinition(name) instanceof AnnotatedBeanDefinition definition)) {
            return false;
        }
        MethodMetadata method = definition.getFactoryMethodMetadata();
        String kind = target.getClass().getName();
        return method != null
                && method.getDeclaringClassName().startsWith(SPRING_BOOT)
                && (kind.equals(method.getReturnTypeName())
                        || kind.equals(beans.getBean(Environment.class).getProperty("spring.datasource.type")));
    }

    /** Whether proxies of the application's own are in between, which a pool made apart would be without. */
    public boolean hasProxies() {
        return direct != target;
    }

    private static NamedBeanHolder<DataSource> primary(ConfigurableListableBeanFactory beans) {
        try {
            return beans.resolveNamedBean(DataSource.class);
        } catch (NoUniqueBeanDefinitionException e) {
            throw new PostriderStartException(
                    "There are several data sources, none of them primary: " + names(beans) + ".",
                    "Set postrider.data-source to the bean whose database the outbox is in, or mark one of them with @Primary.",
                    e);
        }
    }

    private static NamedBeanHolder<DataSource> named(
            ConfigurableListableBeanFactory beans, String name, String property) {
        if (!beans.containsBean(name) || !beans.isTypeMatch(name, DataSource.class)) {
            throw new PostriderStartException(
                    property + " is '" + name + "', and there is no data source of that name.",
                    "Set it to one of these: " + names(beans) + ".");
        }
        return new NamedBeanHolder<>(name, beans.getBean(name, DataSource.class));
    }

    private static String names(ConfigurableListableBeanFactory beans) {
        return String.join(", ", Arrays.asList(beans.getBeanNamesForType(DataSource.class)));
    }
}
