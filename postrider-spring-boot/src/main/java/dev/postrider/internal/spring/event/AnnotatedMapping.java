package dev.postrider.internal.spring.event;

import dev.postrider.EventMapping;
import dev.postrider.OutboxEvent;
import dev.postrider.PostriderException;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.spring.MappedEvent;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;
import tools.jackson.databind.json.JsonMapper;

/** Maps the events of a class by its {@link MappedEvent}. */
final class AnnotatedMapping {
    private AnnotatedMapping() {}

    /**
     * @throws PostriderStartException if the annotation names a property that the class does not have
     */
    static EventMapping<Object> of(Class<?> type, MappedEvent annotation, JsonMapper json) {
        Method id = accessor(type, annotation.aggregateId());
        return EventMapping.json(
                json,
                event -> OutboxEvent.builder(annotation.type())
                        .aggregate(annotation.aggregateType(), read(event, id, annotation.aggregateId())));
    }

    private static Method accessor(Class<?> type, String property) {
        Method found = ReflectionUtils.findMethod(type, property);
        if (found == null) {
            found = ReflectionUtils.findMethod(type, "get" + StringUtils.capitalize(property));
        }
        if (found == null || found.getReturnType() == void.class) {
            throw new PostriderStartException(
                    "@MappedEvent on " + type.getName() + " names the aggregateId '" + property
                            + "', and there is no such property.",
                    "Name a component of the record, or a property with a method " + property + "() or get"
                            + StringUtils.capitalize(property) + "().");
        }
        ReflectionUtils.makeAccessible(found);
        return found;
    }

    private static String read(Object event, Method id, String property) {
        @Nullable Object value = ReflectionUtils.invokeMethod(id, event);
        if (value == null) {
            throw new PostriderException(event.getClass().getName() + " has no " + property
                    + ", which says what it happened to; nothing was written.");
        }
        return value.toString();
    }
}
