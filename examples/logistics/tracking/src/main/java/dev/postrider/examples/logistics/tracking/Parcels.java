package dev.postrider.examples.logistics.tracking;

import dev.postrider.Inbox;
import dev.postrider.kafka.consume.ReceivedEvent;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Where each parcel is. A message may arrive several times, and is handled once: its {@code messageId} is marked in the
 * transaction that handles it. An older step does not replace a newer one, in whatever order they arrive.
 */
final class Parcels {
    private static final Logger log = LoggerFactory.getLogger(Parcels.class);
    private static final String HEARD_OF = """
            insert into parcels (order_id, destination, step, version, steps) values (?, ?, ?, ?, 1)
            on conflict (order_id) do update set
                step = case when excluded.version > parcels.version then excluded.step else parcels.step end,
                version = greatest(excluded.version, parcels.version),
                steps = parcels.steps + 1
            """;

    private final Inbox inbox = Inbox.of("tracking");
    private final DataSource dataSource;

    Parcels(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    void handle(List<ReceivedEvent> events) throws SQLException {
        Map<String, JsonNode> orders = new LinkedHashMap<>();
        for (ReceivedEvent event : events) {
            JsonNode order = JsonMapper.shared().readTree(event.payload().text());
            orders.put(order.path("messageId").asString(event.id()), order);
        }
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            Set<String> fresh = inbox.mark(connection, orders.keySet());
            try (PreparedStatement heardOf = connection.prepareStatement(HEARD_OF)) {
                for (Map.Entry<String, JsonNode> each : orders.entrySet()) {
                    if (fresh.contains(each.getKey())) {
                        add(heardOf, each.getValue());
                    } else {
                        log.info("Already handled: {}", each.getKey());
                    }
                }
                heardOf.executeBatch();
            }
            connection.commit();
        }
    }

    private static void add(PreparedStatement heardOf, JsonNode order) throws SQLException {
        heardOf.setObject(1, order.path("id").asString(), Types.OTHER);
        heardOf.setString(2, order.path("destination").asString());
        heardOf.setString(3, order.path("step").asString());
        heardOf.setInt(4, order.path("version").asInt());
        heardOf.addBatch();
    }
}
