package dev.postrider.testing;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Marks of inboxes, by inbox, consumer and subject. Guarded by its database. */
final class MemoryMarks {
    private final Map<Subject, Mark> marks = new HashMap<>();

    record Subject(String inbox, String consumer, String subject) {}

    private record Mark(Instant at, @Nullable String outcome) {}

    /**
     * @return whether it was not there
     */
    boolean add(Subject subject, Instant now) {
        return marks.putIfAbsent(subject, new Mark(now, null)) == null;
    }

    void remove(Subject subject) {
        marks.remove(subject);
    }

    void keep(Subject subject, String outcome) {
        marks.computeIfPresent(subject, (same, mark) -> new Mark(mark.at(), outcome));
    }

    @Nullable
    String outcome(Subject subject) {
        Mark mark = marks.get(subject);
        return mark == null ? null : mark.outcome();
    }

    /**
     * @param spared those of transactions that have not ended
     */
    int purge(String inbox, String consumer, Instant before, int limit, Predicate<Object> spared) {
        List<Subject> old = marks.entrySet().stream()
                .filter(entry -> entry.getKey().inbox().equals(inbox)
                        && entry.getKey().consumer().equals(consumer)
                        && entry.getValue().at().isBefore(before)
                        && !spared.test(entry.getKey()))
                .sorted(Comparator.comparing(entry -> entry.getValue().at()))
                .limit(limit)
                .map(Map.Entry::getKey)
                .toList();
        old.forEach(marks::remove);
        return old.size();
    }

    void clear() {
        marks.clear();
    }
}
