package dev.postrider.cli.debezium;

import dev.postrider.cli.kafka.KafkaSettings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Records as Debezium's outbox event router makes them, as near to a relay's as it can. The router names a topic after the
 * event's type, marked so that no topic looks the same; then come the routes, the longest first, the convention, and a topic
 * for the rest.
 */
record StockRouter(ConnectorSettings connector) {
    static final List<String> RESTRICTIONS = List.of(
            "With --stock, events with a key of their own are ordered by their aggregate's id, and not by that key.",
            "With --stock, binary payloads arrive as empty messages; only JSON payloads are sent.",
            "With --stock, the headers of an event, such as traceparent, are one header named headers, as JSON.",
            "With --stock, ce_specversion is missing, and the source of events that name none: consumers of CloudEvents require"
                    + " them.",
            "With --stock, integrity is not checked, and kafka.content-mode and kafka.body-id-field have no effect.",
            "With --stock or without: scheduled events are sent at once, and there are no retries and no dead letters.");

    private static final String TEXT = "org.apache.kafka.connect.storage.StringConverter";
    private static final String REGEX = "org.apache.kafka.connect.transforms.RegexRouter";
    private static final String MARK = "type:";

    private static final List<String> HEADERS = List.of(
            "event_id:header:ce_id",
            "event_type:header:ce_type",
            "source:header:ce_source",
            "occurred_at:header:ce_time",
            "aggregate_type:header:ce_aggregatetype",
            "aggregate_id:header:ce_aggregateid",
            "content_type:header:content-type",
            "headers:header:headers");

    Map<String, String> config() {
        Map<String, String> config = connector.config();
        config.put("key.converter", TEXT);
        config.put("value.converter", TEXT);
        config.put("header.converter", TEXT);
        List<String> transforms = new ArrayList<>(List.of("outbox"));
        config.put("transforms.outbox.type", "io.debezium.transforms.outbox.EventRouter");
        config.put("transforms.outbox.table.field.event.id", "event_id");
        config.put("transforms.outbox.table.field.event.key", "aggregate_id");
        config.put("transforms.outbox.table.field.event.payload", "payload");
        config.put("transforms.outbox.table.fields.additional.placement", String.join(",", HEADERS));
        config.put("transforms.outbox.route.by.field", "event_type");
        config.put("transforms.outbox.route.topic.replacement", MARK + "${routedByValue}");
        String prefix = connector.settings().get(KafkaSettings.TOPIC_PREFIX);
        Map<String, String> routes = connector.settings().get(KafkaSettings.ROUTES);
        routes.entrySet().stream()
                .sorted(Map.Entry.<String, String>comparingByKey(Comparator.comparing(String::length))
                        .reversed())
                .forEach(route -> route(
                        config,
                        transforms,
                        "(?:.*\\.)?" + Pattern.quote(route.getKey()) + "(?:\\..*)?",
                        prefix + route.getValue()));
        route(config, transforms, "[^.]*\\.([^.]+)(?:\\..*)?", prefix + "$1-events");
        route(config, transforms, ".*", connector.names().undeliverable());
        config.put("transforms", String.join(",", transforms));
        return config;
    }

    private static void route(Map<String, String> config, List<String> transforms, String types, String topic) {
        String name = "route" + (transforms.size() - 1);
        transforms.add(name);
        config.put("transforms." + name + ".type", REGEX);
        config.put("transforms." + name + ".regex", MARK + types);
        config.put("transforms." + name + ".replacement", topic);
    }
}
