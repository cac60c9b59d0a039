package dev.postrider.admin;

import dev.postrider.PostriderException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Selects dead letters: those for which all given conditions hold. No conditions do not mean all dead letters; use
 * {@link #all()} for that.
 *
 * @param everything every dead letter; excludes all other conditions
 * @param ids any of these rows of the outbox; empty means no condition
 * @param eventIds any of these events; empty means no condition
 * @param key the message's key: the event's own, or else the aggregate's id
 * @param aggregateType together with {@code aggregateId}
 * @param type the event's
 * @param errorClass one word for the kind of failure
 * @param diedSince at this time or later
 * @param diedUntil before this time
 */
public record DeadLetterSelection(
        boolean everything,
        List<Long> ids,
        List<UUID> eventIds,
        @Nullable String key,
        @Nullable String aggregateType,
        @Nullable String aggregateId,
        @Nullable String type,
        @Nullable String errorClass,
        @Nullable Instant diedSince,
        @Nullable Instant diedUntil) {

    public DeadLetterSelection {
        ids = List.copyOf(ids);
        eventIds = List.copyOf(eventIds);
        if ((aggregateType == null) != (aggregateId == null)) {
            throw new PostriderException("An aggregate is its type and its id; one of them is missing.");
        }
        if (diedSince != null && diedUntil != null && !diedSince.isBefore(diedUntil)) {
            throw new PostriderException("Nothing died since " + diedSince + " and before " + diedUntil
                    + ": the first of these times must be the earlier one.");
        }
        boolean something = !ids.isEmpty()
                || !eventIds.isEmpty()
                || key != null
                || aggregateType != null
                || type != null
                || errorClass != null
                || diedSince != null
                || diedUntil != null;
        if (!everything && !something) {
            throw new PostriderException("No dead letter is selected: say which, or that all are meant.");
        }
        if (everything && something) {
            throw new PostriderException("Either all dead letters are meant or some: not both.");
        }
    }

    public static DeadLetterSelection all() {
        return new DeadLetterSelection(true, List.of(), List.of(), null, null, null, null, null, null, null);
    }

    public static DeadLetterSelection ofIds(Collection<Long> ids) {
        return builder().ids(ids).build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** In words, for prompts and for the audit table. */
    public String inWords() {
        List<String> parts = new ArrayList<>();
        if (everything) {
            parts.add("all");
        }
        if (!ids.isEmpty()) {
            parts.add("id " + joined(ids));
        }
        if (!eventIds.isEmpty()) {
            parts.add("event id " + joined(eventIds));
        }
        add(parts, "key ", key);
        add(parts, "aggregate ", aggregateType == null ? null : aggregateType + "/" + aggregateId);
        add(parts, "type ", type);
        add(parts, "error class ", errorClass);
        add(parts, "died since ", diedSince);
        add(parts, "died before ", diedUntil);
        return String.join(", ", parts);
    }

    private static String joined(List<?> values) {
        return values.stream().map(String::valueOf).collect(Collectors.joining(" or "));
    }

    private static void add(List<String> parts, String name, @Nullable Object value) {
        if (value != null) {
            parts.add(name + value);
        }
    }

    /** Collects conditions; every one of them must hold. */
    public static final class Builder {
        private final List<Long> ids = new ArrayList<>();
        private final List<UUID> eventIds = new ArrayList<>();
        private @Nullable String key;
        private @Nullable String aggregateType;
        private @Nullable String aggregateId;
        private @Nullable String type;
        private @Nullable String errorClass;
        private @Nullable Instant diedSince;
        private @Nullable Instant diedUntil;

        private Builder() {}

        /** Any of these rows of the outbox. */
        public Builder ids(Collection<Long> more) {
            ids.addAll(more);
            return this;
        }

        /** Any of these events. */
        public Builder eventIds(Collection<UUID> more) {
            eventIds.addAll(more);
            return this;
        }

        /** The message's key: the event's own, or else the aggregate's id. */
        public Builder key(@Nullable String key) {
            this.key = key;
            return this;
        }

        public Builder aggregate(String type, String id) {
            this.aggregateType = type;
            this.aggregateId = id;
            return this;
        }

        public Builder type(@Nullable String type) {
            this.type = type;
            return this;
        }

        public Builder errorClass(@Nullable String errorClass) {
            this.errorClass = errorClass;
            return this;
        }

        /** At this time of the database's clock or later. */
        public Builder diedSince(@Nullable Instant time) {
            this.diedSince = time;
            return this;
        }

        /** Before this time of the database's clock. */
        public Builder diedUntil(@Nullable Instant time) {
            this.diedUntil = time;
            return this;
        }

        /**
         * @throws PostriderException if no condition was given
         */
        public DeadLetterSelection build() {
            return new DeadLetterSelection(
                    false, ids, eventIds, key, aggregateType, aggregateId, type, errorClass, diedSince, diedUntil);
        }
    }
}
