package dev.postrider.internal.spring.endpoint;

import dev.postrider.PostriderException;
import dev.postrider.admin.DeadLetterSelection;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads what callers give. All of it is text, so that what cannot be read is told in a sentence and not by the framework. */
final class Parameters {
    private Parameters() {}

    /** Null if there is none; so is an empty one. */
    static @Nullable String text(@Nullable String text) {
        return text == null || text.isBlank() ? null : text.strip();
    }

    static int wholeNumber(@Nullable String text, String name, int standard, int least, int most) {
        String given = text(text);
        if (given == null) {
            return standard;
        }
        try {
            int number = Integer.parseInt(given);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // As one that is out of range.
        }
        throw RefusedException.badRequest(
                "The parameter " + name + " must be a whole number from " + least + " to " + most + ".");
    }

    /** 0 if there is none. */
    static long afterId(@Nullable String text) {
        String given = text(text);
        try {
            long id = given == null ? 0 : Long.parseLong(given);
            if (id >= 0) {
                return id;
            }
        } catch (NumberFormatException e) {
            // As one that is negative.
        }
        throw RefusedException.badRequest("The parameter afterId must be the id of a row, or 0. Nothing was sent.");
    }

    static @Nullable Instant time(@Nullable String text, String name) {
        String given = text(text);
        try {
            return given == null ? null : Instant.parse(given);
        } catch (DateTimeException e) {
            throw RefusedException.badRequest(
                    "The parameter " + name + " must be a time such as 2026-03-01T12:00:00Z.");
        }
    }

    /** Of rows of the outbox, separated by commas. */
    static List<Long> ids(@Nullable String text) {
        String given = text(text);
        List<Long> ids = new ArrayList<>();
        if (given != null) {
            for (String id : given.split(",")) {
                ids.add(id(id));
            }
        }
        return ids;
    }

    static long id(String text) {
        try {
            return Long.parseLong(text.strip());
        } catch (NumberFormatException e) {
            throw RefusedException.badRequest("A dead letter's id is a whole number: that of its row in the outbox.");
        }
    }

    /** Type and id of an aggregate, {@code order/42}. */
    static @Nullable Aggregate aggregate(@Nullable String text) {
        String given = text(text);
        if (given == null) {
            return null;
        }
        int slash = given.indexOf('/');
        if (slash < 1 || slash == given.length() - 1) {
            throw RefusedException.badRequest("An aggregate is its type and its id, such as order/42.");
        }
        return new Aggregate(given.substring(0, slash), given.substring(slash + 1));
    }

    record Aggregate(String type, String id) {}

    static void select(DeadLetterSelection.Builder selection, @Nullable Aggregate aggregate) {
        if (aggregate != null) {
            selection.aggregate(aggregate.type(), aggregate.id());
        }
    }

    /** What core refuses about a request is the caller's to correct. */
    static <T> T checked(Supplier<T> made) {
        try {
            return made.get();
        } catch (PostriderException e) {
            throw RefusedException.badRequest(String.valueOf(e.getMessage()));
        }
    }
}
