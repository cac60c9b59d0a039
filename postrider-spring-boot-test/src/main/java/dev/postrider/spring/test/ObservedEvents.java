package dev.postrider.spring.test;

import dev.postrider.OutboxEvent;
import dev.postrider.spring.MappedEvent;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;
import org.springframework.core.annotation.AnnotatedElementUtils;
import tools.jackson.databind.json.JsonMapper;

/**
 * Events that a test looks at, those of the running test method only. Each call looks anew. AssertJ takes it as any other
 * {@code Iterable}. Tests that run at the same time and share a context see each other's.
 */
public abstract sealed class ObservedEvents implements Iterable<OutboxEvent> permits WrittenEvents, PublishedEvents {
    private final JsonMapper json;

    ObservedEvents(JsonMapper json) {
        this.json = json;
    }

    /** In their order. */
    public abstract List<OutboxEvent> all();

    /** Those of a type, for example {@code shop.order.placed}. */
    public List<OutboxEvent> of(String type) {
        return all().stream().filter(event -> event.type().equals(type)).toList();
    }

    /**
     * Those of a class with {@link MappedEvent}, made of their payloads again by the application's {@code JsonMapper}.
     *
     * @throws IllegalArgumentException if the class has no such annotation
     */
    public <T> List<T> of(Class<T> mapped) {
        return of(typeOf(mapped)).stream().map(event -> read(event, mapped)).toList();
    }

    /**
     * The only one of a type. There may be others of other types.
     *
     * @throws AssertionError if there is none, or more than one
     */
    public OutboxEvent single(String type) {
        List<OutboxEvent> all = all();
        List<OutboxEvent> found =
                all.stream().filter(event -> event.type().equals(type)).toList();
        if (found.size() != 1) {
            throw new AssertionError("Expected one event of type " + type + ", but there are " + found.size() + " of "
                    + all.size() + ": " + inWords(all));
        }
        return found.get(0);
    }

    /**
     * The only one of a class with {@link MappedEvent}, made of its payload again by the application's {@code JsonMapper}.
     *
     * @throws AssertionError if there is none, or more than one
     * @throws IllegalArgumentException if the class has no such annotation
     */
    public <T> T single(Class<T> mapped) {
        return read(single(typeOf(mapped)), mapped);
    }

    @Override
    public Iterator<OutboxEvent> iterator() {
        return all().iterator();
    }

    @Override
    public String toString() {
        return inWords(all());
    }

    private static String inWords(List<OutboxEvent> events) {
        return events.stream()
                .map(event -> event.type() + " of " + event.aggregateType() + " " + event.aggregateId())
                .collect(Collectors.joining(", ", "[", "]"));
    }

    private static String typeOf(Class<?> mapped) {
        MappedEvent annotation = AnnotatedElementUtils.findMergedAnnotation(mapped, MappedEvent.class);
        if (annotation == null) {
            throw new IllegalArgumentException(mapped.getName()
                    + " has no @MappedEvent that would tell its type. Ask by the type, with of(\"..\") or"
                    + " single(\"..\").");
        }
        return annotation.type();
    }

    private <T> T read(OutboxEvent event, Class<T> as) {
        return json.readValue(event.payload().bytes(), as);
    }
}
