package dev.postrider.cli.doctor;

import dev.postrider.DatabaseFamily;
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

    static final OutboxTraffic UNKNOWN = new OutboxTraffic(Map.of(), Optional.empty());

    /**
     * The types of the last thousand events. A payload's true size is known only after unpacking it, so that is
     * done with the few that take most space as they are stored.
     */
    private static final String ON_POSTGRES = """
            with recent as (
                select id, event_type, coalesce(pg_column_size(payload), pg_column_size(payload_binary)) as stored
                from {outbox}
                order by id desc
                limit 1000
            ), ranked as (
                select id, row_number() over (partition by event_type order by stored desc) as place
                from recent
            )
            select o.event_type,
                   max(coalesce(octet_length(o.payload::text), octet_length(o.payload_binary))) as largest
            from ranked r join {outbox} o using (id)
            where r.place <= 3
            group by o.event_type
            order by o.event_type
            """;

    /** The same; what is large is not packed here. */
    private static final String ON_MYSQL = """
            select event_type, max(coalesce(octet_length(payload), octet_length(payload_binary))) as largest
            from (select event_type, payload, payload_binary from {outbox} order by id desc limit 1000) recent
            group by event_type
            order by event_type
            """;

    public OutboxTraffic {
        largestPayloads = Collections.unmodifiableMap(new LinkedHashMap<>(largestPayloads));
    }

    static Map<String, Long> readLargestPayloads(DatabaseSession session, OutboxTable table) throws SQLException {
        String select = session.family() == DatabaseFamily.MYSQL
                ? ON_MYSQL.replace("{outbox}", table.sql().replace('"', '`'))
                : ON_POSTGRES.replace("{outbox}", table.sql());
        Map<String, Long> largest = new LinkedHashMap<>();
        session.list(select, row -> Map.entry(row.getString("event_type"), row.getLong("largest")))
                .forEach(type -> largest.put(type.getKey(), type.getValue()));
        return largest;
    }
}
