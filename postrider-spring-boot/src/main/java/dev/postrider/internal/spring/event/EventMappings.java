package dev.postrider.internal.spring.event;

import dev.postrider.EventMapping;
import dev.postrider.OutboxEvent;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.spring.MappedEvent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.json.JsonMapper;

/** Finds the mappings of an application when it starts, so that a wrong one is told then. */
public final class EventMappings {
    private EventMappings() {}

    /**
     * The {@link EventMapping} beans, and the classes with {@link MappedEvent} in the packages of the application.
     *
     * @throws PostriderStartException if one of them cannot be used
     */
    public static MappedEvents find(ConfigurableListableBeanFactory beans, Environment environment, JsonMapper json) {
        return new MappedEvents(mappingBeans(beans), annotatedClasses(beans, environment), json);
    }

    private static Map<Class<?>, EventMapping<Object>> mappingBeans(ConfigurableListableBeanFactory beans) {
        Map<Class<?>, EventMapping<Object>> byType = new LinkedHashMap<>();
        Map<Class<?>, String> names = new LinkedHashMap<>();
        for (String name : beans.getBeanNamesForType(EventMapping.class)) {
            EventMapping<?> mapping = beans.getBean(name, EventMapping.class);
            Class<?> type = mappedType(beans, name, mapping);
            String other = names.put(type, name);
            if (other != null) {
                throw new PostriderStartException(
                        "The beans '" + other + "' and '" + name + "' both map " + type.getName() + ".",
                        "Keep one of them.");
            }
            byType.put(type, event -> toEvent(mapping, event));
        }
        return byType;
    }

    @SuppressWarnings("unchecked") // whoever asks has looked at the type that it is for
    private static OutboxEvent toEvent(EventMapping<?> mapping, Object event) {
        return ((EventMapping<Object>) mapping).toEvent(event);
    }

    private static Class<?> mappedType(ConfigurableListableBeanFactory beans, String name, EventMapping<?> mapping) {
        Class<?> declared = beans.containsBeanDefinition(name)
                ? eventType(beans.getMergedBeanDefinition(name).getResolvableType())
                : null;
        Class<?> type = declared == null ? eventType(ResolvableType.forInstance(mapping)) : declared;
        if (type == null || type == Object.class) {
            throw new PostriderStartException(
                    "The bean '" + name + "' does not say which events it maps.",
                    "Let the method that makes it return an EventMapping<YourEvent>, for the class or interface of its events.");
        }
        return type;
    }

    private static @Nullable Class<?> eventType(ResolvableType bean) {
        return bean.as(EventMapping.class).getGeneric(0).resolve();
    }

    private static List<Class<?>> annotatedClasses(ConfigurableListableBeanFactory beans, Environment environment) {
        if (!AutoConfigurationPackages.has(beans)) {
            return List.of();
        }
        ClassPathScanningCandidateComponentProvider scanner =
                new ClassPathScanningCandidateComponentProvider(false, environment);
        scanner.addIncludeFilter(new AnnotationTypeFilter(MappedEvent.class));
        List<Class<?>> found = new ArrayList<>();
        for (String inside : AutoConfigurationPackages.get(beans)) {
            for (BeanDefinition candidate : scanner.findCandidateComponents(inside)) {
                String name = String.valueOf(candidate.getBeanClassName());
                found.add(ClassUtils.resolveClassName(name, beans.getBeanClassLoader()));
            }
        }
        return found;
    }
}
