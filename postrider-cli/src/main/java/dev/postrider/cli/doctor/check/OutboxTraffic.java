package dev.postrider.cli.doctor.check;

import dev.postrider.OutboxTable;
import java.sql.SQLException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What the database knows about the events that go to a destination.
 *
 * @param largestPayloads of the latest events, sent or not: by type, in bytes; empty if nothing is known
 * @param exactlyOnceId the outbox's id, under which its positions are kept at the destination, if it delivers exactly once
 */
public record OutboxTraffic(Map<String, Long> largestPayloads, Optional<String> exactlyOnceId) {

    public static final OutboxTraffic UNKNOWN = new OutboxTraffic(Map.of(), Optional.empty());

    public OutboxTraffic {
        largestPayloads = Collections.unmodifiableMap(new LinkedHashMap<>(largestPayloads));
    }

    public static Map<String, Long> readLargestPayloads(DatabaseSession session, OutboxTable table)
            throws SQLException {
        String select = session.doctor()
                .largestPayloads()
                .replace("{outbox}", session.database().quoted(table.sql()));
        Map<String, Long> largest = new LinkedHashMap<>();
        session.list(select, row -> Map.entry(row.getString("event_type"), row.getLong("largest")))
                .forEach(type -> largest.put(type.getKey(), type.getValue()));
        return largest;
    }
}
