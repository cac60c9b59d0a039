package dev.postrider.cli.doctor.broker;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.DatabaseSession;
import dev.postrider.publish.TopicRouting;
import dev.postrider.publish.UnroutableEventException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Where the outbox's latest events go, sent or not.
 *
 * @param topics with the largest of these events' payloads, in bytes
 * @param unroutable types that lead to no topic
 */
public record Destinations(Map<String, Long> topics, List<String> unroutable) {

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

    public Destinations {
        topics = Map.copyOf(topics);
        unroutable = List.copyOf(unroutable);
    }

    /** If nothing is known. */
    public static Destinations none() {
        return new Destinations(Map.of(), List.of());
    }

    /**
     * @param routing the relay's
     */
    public static Destinations read(DatabaseSession session, OutboxTable table, TopicRouting routing)
            throws SQLException {
        Map<String, Long> topics = new TreeMap<>();
        List<String> unroutable = new ArrayList<>();
        String select = session.family() == DatabaseFamily.MYSQL
                ? ON_MYSQL.replace("{outbox}", table.sql().replace('"', '`'))
                : ON_POSTGRES.replace("{outbox}", table.sql());
        session.list(select, row -> Map.entry(row.getString("event_type"), row.getLong("largest")))
                .forEach(type -> {
                    try {
                        topics.merge(routing.topicOf(type.getKey()), type.getValue(), Math::max);
                    } catch (UnroutableEventException e) {
                        unroutable.add(type.getKey());
                    }
                });
        return new Destinations(topics, unroutable);
    }
}
