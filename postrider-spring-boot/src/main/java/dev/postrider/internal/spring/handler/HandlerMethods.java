package dev.postrider.internal.spring.handler;

import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.spring.OutboxHandler;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/** The methods of the application's beans that handle events, found and checked once all beans are there. */
public final class HandlerMethods implements SmartInitializingSingleton {
    private final ConfigurableListableBeanFactory beans;
    private final boolean areDestination;

    /** By the type of event. */
    private final Map<String, HandlerMethod> handlers = new TreeMap<>();

    /**
     * @param areDestination whether the relay delivers to them
     */
    public HandlerMethods(ConfigurableListableBeanFactory beans, boolean areDestination) {
        this.beans = beans;
        this.areDestination = areDestination;
    }

    @Override
    public void afterSingletonsInstantiated() {
        for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = ScopedProxyUtils.isScopedTarget(name) ? null : targetClass(name);
            if (type != null && AnnotationUtils.isCandidateClass(type, OutboxHandler.class)) {
                find(name, type);
            }
        }
        if (!handlers.isEmpty() && !areDestination) {
            throw new PostriderStartException(
                    "The application has handlers for events (" + first()
                            + "), and its outbox delivers to something else.",
                    "An outbox has one destination. Set postrider.relay.destination=handlers and declare no bean of the type"
                            + " Publisher, or remove @OutboxHandler. To send events to a broker and to handle them in the application"
                            + " takes two outboxes.");
        }
        if (handlers.isEmpty() && areDestination) {
            throw new PostriderStartException(
                    "postrider.relay.destination is handlers, and no bean has a method with @OutboxHandler.",
                    "Annotate a method of a bean with @OutboxHandler(\"type\") for each type of event.");
        }
    }

    private String first() {
        return handlers.values().iterator().next().toString();
    }

    /** Null if it cannot be told: then it is no class of the application's. */
    private @Nullable Class<?> targetClass(String name) {
        try {
            return AutoProxyUtils.determineTargetClass(beans, name);
        } catch (RuntimeException | LinkageError e) {
            return null;
        }
    }

    private void find(String bean, Class<?> type) {
        Map<Method, OutboxHandler> methods =
                MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<@Nullable OutboxHandler>)
                        method -> AnnotatedElementUtils.findMergedAnnotation(method, OutboxHandler.class));
        methods.forEach((method, annotation) -> {
            HandlerMethod handler = HandlerMethod.of(beans, bean, type, method, annotation);
            for (String eventType : annotation.value()) {
                HandlerMethod other = handlers.put(eventType, handler);
                if (other != null) {
                    throw new PostriderStartException(
                            "Events of type " + eventType + " have two handlers: " + other + " and " + handler + ".",
                            "A type has one handler, which may call others. Remove @OutboxHandler from one of them.");
                }
            }
        });
    }

    Map<String, HandlerMethod> byType() {
        return handlers;
    }

    /** All of them, each once. */
    Collection<HandlerMethod> all() {
        return Set.copyOf(handlers.values());
    }
}
