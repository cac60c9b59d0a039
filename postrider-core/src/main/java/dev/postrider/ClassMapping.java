package dev.postrider;

import dev.postrider.EventMapping.Serializer;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/**
 * A mapping with a description for each class of events; see {@link EventMapping#forSealed}. Any thread.
 *
 * @param <D> the domain's event type
 */
public final class ClassMapping<D> implements EventMapping<D> {
    private final Class<D> type;
    private final Map<Class<?>, Function<D, OutboxEvent.Builder>> descriptions;
    private final Serializer<? super D, Payload> serializer;

    private ClassMapping(Builder<D> builder) {
        this.type = builder.type;
        this.descriptions = Map.copyOf(builder.descriptions);
        this.serializer = builder.serializer;
    }

    static <D> Builder<D> forSealed(Class<D> type) {
        if (!type.isSealed()) {
            throw new PostriderException(type.getName() + " is not sealed, so its classes cannot be listed. Make it"
                    + " sealed, or use EventMapping.forOpen(..), which tells of a class without a mapping only when such"
                    + " an event is to be written.");
        }
        Set<Class<?>> required = new LinkedHashSet<>();
        collect(type, required);
        return new Builder<>(type, required);
    }

    static <D> Builder<D> forOpen(Class<D> type) {
        return new Builder<>(type, Set.of());
    }

    /** The classes that events can have: an enum's constants are of its class, whatever Java makes of their bodies. */
    private static void collect(Class<?> type, Set<Class<?>> into) {
        boolean sealed = type.isSealed() && !type.isEnum();
        if (!sealed || !Modifier.isAbstract(type.getModifiers())) {
            into.add(type);
        }
        if (sealed) {
            for (Class<?> permitted : type.getPermittedSubclasses()) {
                collect(permitted, into);
            }
        }
    }

    /**
     * @throws PostriderException if its class has no description
     */
    @Override
    public OutboxEvent toEvent(D domainEvent) {
        Objects.requireNonNull(domainEvent, "domainEvent");
        OutboxEvent.Builder described =
                Objects.requireNonNull(descriptionOf(domainEvent).apply(domainEvent), "what the description returned");
        return Payloads.complete(domainEvent, described, serializer);
    }

    private Function<D, OutboxEvent.Builder> descriptionOf(D domainEvent) {
        Class<?> own = domainEvent.getClass();
        Function<D, OutboxEvent.Builder> exact = descriptions.get(own);
        if (exact != null) {
            return exact;
        }
        // A class below one that is open to others, or the body of an enum's constant.
        List<Class<?>> fitting = mostSpecific(descriptions.keySet().stream()
                .filter(mapped -> mapped.isInstance(domainEvent))
                .toList());
        if (fitting.size() == 1) {
            return Objects.requireNonNull(descriptions.get(fitting.get(0)));
        }
        throw new PostriderException(
                fitting.isEmpty()
                        ? own.getName() + " has no mapping; nothing was written. Those that have one: "
                                + names(descriptions.keySet()) + ". Add on(" + own.getSimpleName()
                                + ".class, ..) to the"
                                + " mapping of " + type.getName() + "."
                        : own.getName() + " has more than one mapping: " + names(fitting) + "; nothing was written. Add"
                                + " on(" + own.getSimpleName() + ".class, ..) for itself.");
    }

    /** Those that have none of the others below them. */
    private static List<Class<?>> mostSpecific(List<Class<?>> classes) {
        return classes.stream()
                .filter(one -> classes.stream().noneMatch(other -> other != one && one.isAssignableFrom(other)))
                .toList();
    }

    private static String names(Collection<Class<?>> classes) {
        return classes.stream().map(Class::getName).sorted().collect(Collectors.joining(", "));
    }

    /** Collects descriptions by class, and the serializer of payloads. */
    public static final class Builder<D> {
        private final Class<D> type;
        private final Set<Class<?>> required;
        private final Map<Class<?>, Function<D, OutboxEvent.Builder>> descriptions = new LinkedHashMap<>();
        private Serializer<? super D, Payload> serializer = Payloads.none();

        private Builder(Class<D> type, Set<Class<?>> required) {
            this.type = type;
            this.required = required;
        }

        /** Payloads are JSON documents, as text. Default: every description sets the payload itself. */
        public Builder<D> json(Serializer<? super D, String> serializer) {
            this.serializer = Payloads.json(serializer);
            return this;
        }

        /** Payloads are the domain events as JSON, written by Jackson 3, which Postrider itself uses. */
        public Builder<D> json(JsonMapper mapper) {
            return json(Payloads.jackson(mapper));
        }

        /** Payloads have another format. */
        public Builder<D> bytes(String contentType, Serializer<? super D, byte[]> serializer) {
            this.serializer = Payloads.bytes(contentType, serializer);
            return this;
        }

        /**
         * Describes the events of a class, and of its subclasses that have no description of their own: the most
         * specific class wins.
         *
         * @throws PostriderException if there can be no events of this class, or it was described before
         */
        public <E extends D> Builder<D> on(Class<E> eventClass, Function<? super E, OutboxEvent.Builder> description) {
            Objects.requireNonNull(eventClass, "eventClass");
            Objects.requireNonNull(description, "description");
            if (!type.isAssignableFrom(eventClass)) {
                throw new PostriderException(eventClass.getName() + " is not a subtype of " + type.getName() + ".");
            }
            if (!required.isEmpty() && required.stream().noneMatch(one -> one.isAssignableFrom(eventClass))) {
                throw new PostriderException(eventClass.getName() + " is not one of the event classes of "
                        + type.getName() + " have. Those are: " + names(required) + ".");
            }
            if (descriptions.put(eventClass, event -> description.apply(eventClass.cast(event))) != null) {
                throw new PostriderException(eventClass.getName() + " has two mappings; keep one.");
            }
            return this;
        }

        /**
         * @throws PostriderException if a class of a sealed type was left out
         */
        public EventMapping<D> build() {
            Set<Class<?>> missing = new LinkedHashSet<>(required);
            missing.removeAll(descriptions.keySet());
            if (!missing.isEmpty()) {
                throw new PostriderException("These events of " + type.getName() + " have no mapping: " + names(missing)
                        + ". Add on(.., ..) for each.");
            }
            return new ClassMapping<>(this);
        }
    }
}
