package dev.postrider.internal.spring.event;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.postrider.EventMapping;
import dev.postrider.OutboxEvent;
import dev.postrider.PostriderException;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.spring.MappedEvent;
import java.lang.reflect.Method;
import java.util.EventObject;
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
                EventObject.class.isAssignableFrom(type) ? withoutSource(json) : json,
                event -> OutboxEvent.builder(annotation.type())
                        .aggregate(annotation.aggregateType(), read(event, id, annotation.aggregateId())));
    }

    /** Who published an event is no part of it: usually it is a bean, which cannot be written as JSON. */
    private static JsonMapper withoutSource(JsonMapper json) {
        return json.rebuild().addMixIn(EventObject.class, WithoutSource.class).build();
    }

    private interface WithoutSource {
        @JsonIgnore
        Object getSource();
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
