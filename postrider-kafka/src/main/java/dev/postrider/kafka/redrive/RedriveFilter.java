package dev.postrider.kafka.redrive;

import dev.postrider.PostriderException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which dead letters are meant. All conditions that are given must hold; without any, every dead letter is meant.
 *
 * @param reason class of the exception that the handler threw, with or without its package
 * @param message text that the exception's message contains
 * @param key the record's key
 * @param group the consumer group that gave the record up
 * @param since it was put into the dead letter topic at this time or later
 * @param until it was put into the dead letter topic before this time
 */
public record RedriveFilter(
        @Nullable String reason,
        @Nullable String message,
        @Nullable String key,
        @Nullable String group,
        @Nullable Instant since,
        @Nullable Instant until) {

    /**
     * @throws PostriderException if no time is at {@code since} or later and before {@code until}
     */
    public RedriveFilter {
        if (since != null && until != null && !since.isBefore(until)) {
            throw new PostriderException("Nothing dies at " + since + " or later and before " + until + ".");
        }
    }

    /** Every dead letter. */
    public static RedriveFilter everything() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    boolean isEverything() {
        return equals(everything());
    }

    boolean matches(DeadLetter letter) {
        return (reason == null || isNamed(letter.reason(), reason))
                && (message == null || letter.message().contains(message))
                && (key == null || Arrays.equals(letter.key(), key.getBytes(StandardCharsets.UTF_8)))
                && (group == null || group.equals(letter.group()))
                && (since == null || !letter.diedAt().isBefore(since))
                && (until == null || letter.diedAt().isBefore(until));
    }

    private static boolean isNamed(String className, String name) {
        return className.equals(name) || className.endsWith("." + name) || className.endsWith("$" + name);
    }

    /** The conditions that are given, by name. */
    Map<String, String> conditions() {
        Map<String, String> conditions = new LinkedHashMap<>();
        put(conditions, "reason", reason);
        put(conditions, "message", message);
        put(conditions, "key", key);
        put(conditions, "group", group);
        put(conditions, "since", since);
        put(conditions, "until", until);
        return conditions;
    }

    private static void put(Map<String, String> conditions, String name, @Nullable Object value) {
        if (value != null) {
            conditions.put(name, value.toString());
        }
    }

    /** The filter for people: {@code reason IllegalStateException, key 42}. */
    public String inWords() {
        return isEverything()
                ? "everything"
                : conditions().entrySet().stream()
                        .map(condition -> condition.getKey() + " " + condition.getValue())
                        .collect(Collectors.joining(", "));
    }

    /** Conditions of a {@link RedriveFilter}; each may be left out or null. */
    public static final class Builder {
        private @Nullable String reason;
        private @Nullable String message;
        private @Nullable String key;
        private @Nullable String group;
        private @Nullable Instant since;
        private @Nullable Instant until;

        private Builder() {}

        public Builder reason(@Nullable String className) {
            this.reason = className;
            return this;
        }

        public Builder message(@Nullable String part) {
            this.message = part;
            return this;
        }

        public Builder key(@Nullable String text) {
            this.key = text;
            return this;
        }

        public Builder group(@Nullable String name) {
            this.group = name;
            return this;
        }

        public Builder since(@Nullable Instant time) {
            this.since = time;
            return this;
        }

        public Builder until(@Nullable Instant time) {
            this.until = time;
            return this;
        }

        /**
         * @throws PostriderException if no time is at {@code since} or later and before {@code until}
         */
        public RedriveFilter build() {
            return new RedriveFilter(reason, message, key, group, since, until);
        }
    }
}
