package dev.postrider.examples.logistics.relay;

import dev.postrider.OutboxTable;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.alert.AlertChannel;
import dev.postrider.alert.AlertRules;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.Publisher;
import dev.postrider.settings.OptionValues;
import java.nio.file.Path;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * The relay inside of an application in Java, instead of {@code ./postrider relay}: with the same figures, out of the same
 * file.
 */
public final class EmbeddedRelay {
    private final JsonNode file;
    private final OptionValues values = OptionValues.ofTexts(this::text);

    private EmbeddedRelay(JsonNode file) {
        this.file = file;
    }

    /** What {@code relay.yml} says. */
    public static EmbeddedRelay with(Path settings) {
        return new EmbeddedRelay(new YAMLMapper().readTree(settings));
    }

    /** Start it with the application, and stop it with it. */
    public Relay to(Publisher publisher, DataSource dataSource, List<? extends AlertChannel> alerts) {
        return Relay.builder(dataSource, publisher)
                .table(table())
                .settings(settings())
                .alerts(AlertRules.of(values), alerts)
                .build();
    }

    public KafkaPublisher kafka(String bootstrapServers) {
        return KafkaPublisher.builder(bootstrapServers)
                .bodyIdField(text("kafka.body-id-field"))
                .defaultSource(String.valueOf(text("kafka.source")))
                .build();
    }

    RelaySettings settings() {
        return RelaySettings.of(values);
    }

    OutboxTable table() {
        return OutboxTable.parse(String.valueOf(text("table")));
    }

    private @Nullable String text(String key) {
        JsonNode node = file;
        for (String part : key.split("\\.")) {
            node = node.path(part);
        }
        return node.isMissingNode() || node.isNull() ? null : node.asString();
    }
}
