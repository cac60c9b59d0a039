package dev.postrider.internal.spring.handler;

import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.spring.OutboxHandler;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Objects;
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
    /** In place of the name of the main outbox. */
    public static final String MAIN = "";

    private final ConfigurableListableBeanFactory beans;
    private final Map<String, Boolean> outboxes;

    /** By the name of the outbox, and then by the type of event. */
    private final Map<String, Map<String, HandlerMethod>> handlers = new TreeMap<>();

    /**
     * @param outboxes the names of those that deliver to handlers, and whether that is done in this process
     */
    public HandlerMethods(ConfigurableListableBeanFactory beans, Map<String, Boolean> outboxes) {
        this.beans = beans;
        this.outboxes = new TreeMap<>(outboxes);
        this.outboxes.keySet().forEach(outbox -> handlers.put(outbox, new TreeMap<>()));
    }

    @Override
    public void afterSingletonsInstantiated() {
        for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = ScopedProxyUtils.isScopedTarget(name) ? null : targetClass(name);
            if (type != null && AnnotationUtils.isCandidateClass(type, OutboxHandler.class)) {
                find(name, type);
            }
        }
        outboxes.forEach((outbox, here) -> {
            if (here && byType(outbox).isEmpty()) {
                throw new PostriderStartException(
                        property(outbox) + " is handlers, and no bean has a method with @OutboxHandler"
                                + (outbox.equals(MAIN) ? "" : " for that outbox") + ".",
                        "Annotate a method of a bean with @OutboxHandler(\"type\") for each type of event.");
            }
        });
    }

    private static String property(String outbox) {
        return outbox.equals(MAIN)
                ? "postrider.relay.destination"
                : "postrider.outboxes." + outbox + ".relay.destination";
    }

    /** The outbox whose events a method handles. */
    private String outbox(HandlerMethod handler) {
        if (outboxes.isEmpty()) {
            throw new PostriderStartException(
                    "The application has handlers for events (" + handler
                            + "), and its outbox delivers to something else.",
                    "An outbox has one destination. Set postrider.relay.destination=handlers and declare no bean of the type"
                            + " Publisher, or remove @OutboxHandler. To send events to a broker and to handle them in the application"
                            + " takes two outboxes: postrider.outboxes.NAME.relay.destination=handlers makes another one.");
        }
        String named = handler.outbox();
        if (outboxes.containsKey(named)) {
            return named;
        }
        if (!named.isEmpty()) {
            throw new PostriderStartException(
                    "@OutboxHandler on " + handler + " names the outbox '" + named
                            + "', which does not deliver to handlers.",
                    "Set " + property(named) + "=handlers, or name one of these: "
                            + String.join(", ", outboxes.keySet()) + ".");
        }
        if (outboxes.size() > 1) {
            throw new PostriderStartException(
                    "@OutboxHandler on " + handler + " does not say which outbox's events it handles.",
                    "Several deliver to handlers. Name one of them by outbox = \"..\": "
                            + String.join(", ", outboxes.keySet()) + ".");
        }
        return outboxes.keySet().iterator().next();
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
            Map<String, HandlerMethod> byType = byType(outbox(handler));
            for (String eventType : annotation.value()) {
                HandlerMethod other = byType.put(eventType, handler);
                if (other != null) {
                    throw new PostriderStartException(
                            "Events of type " + eventType + " have two handlers: " + other + " and " + handler + ".",
                            "A type has one handler, which may call others. Remove @OutboxHandler from one of them.");
                }
            }
        });
    }

    Map<String, HandlerMethod> byType(String outbox) {
        return Objects.requireNonNull(handlers.get(outbox));
    }
}
