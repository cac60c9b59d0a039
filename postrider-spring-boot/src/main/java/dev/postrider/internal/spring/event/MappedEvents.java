package dev.postrider.internal.spring.event;

import dev.postrider.EventMapping;
import dev.postrider.OutboxEvent;
import dev.postrider.PostriderException;
import dev.postrider.spring.MappedEvent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.core.annotation.AnnotationUtils;
import tools.jackson.databind.json.JsonMapper;

/**
 * All mappings of an application: by class, the beans before the annotations, the most specific class that fits. Any
 * thread. Not a mapping itself, since it is a bean and the beans that are mappings are what it is made of.
 */
public final class MappedEvents {
    private final Map<Class<?>, EventMapping<Object>> beans;
    private final JsonMapper json;
    private final Map<Class<?>, EventMapping<Object>> annotated = new ConcurrentHashMap<>();

    /** By the class of events. What is known to have none is kept too: events that are captured ask often. */
    private final Map<Class<?>, Optional<EventMapping<Object>>> known = new ConcurrentHashMap<>();

    /**
     * @param beans by the class of events that they map
     * @param annotated classes with the annotation that are known at the start; others are found when one is written
     */
    MappedEvents(Map<Class<?>, EventMapping<Object>> beans, List<Class<?>> annotated, JsonMapper json) {
        this.beans = new LinkedHashMap<>(beans);
        this.json = json;
        annotated.forEach(this::annotated);
    }

    private Optional<EventMapping<Object>> annotated(Class<?> type) {
        MappedEvent annotation = AnnotationUtils.findAnnotation(type, MappedEvent.class);
        if (annotation == null) {
            return Optional.empty();
        }
        return Optional.of(annotated.computeIfAbsent(type, fresh -> AnnotatedMapping.of(fresh, annotation, json)));
    }

    /**
     * @throws PostriderException if there is no mapping for such events
     */
    public OutboxEvent toEvent(Object domainEvent) {
        return find(domainEvent.getClass())
                .orElseThrow(() -> unmapped(domainEvent.getClass()))
                .toEvent(domainEvent);
    }

    boolean knows(Object domainEvent) {
        return find(domainEvent.getClass()).isPresent();
    }

    private Optional<EventMapping<Object>> find(Class<?> type) {
        // Not computeIfAbsent: what it finds is put into another map on the way.
        Optional<EventMapping<Object>> found = known.get(type);
        if (found == null) {
            found = bean(type).or(() -> annotated(type));
            known.put(type, found);
        }
        return found;
    }

    private Optional<EventMapping<Object>> bean(Class<?> type) {
        List<Class<?>> fitting = beans.keySet().stream()
                .filter(mapped -> mapped.isAssignableFrom(type))
                .toList();
        List<Class<?>> nearest = fitting.stream()
                .filter(one -> fitting.stream().noneMatch(other -> other != one && one.isAssignableFrom(other)))
                .toList();
        if (nearest.size() > 1) {
            throw new PostriderException(type.getName() + " has several EventMapping beans, for "
                    + nearest.stream().map(Class::getName).toList()
                    + "; nothing was written. Declare one for the class itself.");
        }
        return nearest.stream().findFirst().map(beans::get);
    }

    private PostriderException unmapped(Class<?> type) {
        TreeSet<String> names = new TreeSet<>();
        beans.keySet().forEach(mapped -> names.add(mapped.getName()));
        annotated.keySet().forEach(mapped -> names.add(mapped.getName()));
        return new PostriderException(type.getName() + " has no mapping; nothing was written. Those that have one: "
                + (names.isEmpty() ? "none" : String.join(", ", names))
                + ". Annotate it with @MappedEvent, or declare a bean"
                + " of the type EventMapping<" + type.getSimpleName() + ">.");
    }
}
