package dev.postrider.cli.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.RelaySettings;
import dev.postrider.cli.kafka.KafkaSettings;
import dev.postrider.cli.settings.OptionNames;
import dev.postrider.cli.settings.Settings;
import dev.postrider.failure.Backoff;
import dev.postrider.failure.RetrySettings;
import dev.postrider.kafka.ContentMode;
import dev.postrider.settings.BatchSettings;
import dev.postrider.settings.DeliverySettings;
import dev.postrider.settings.InvalidOptionException;
import dev.postrider.settings.Option;
import dev.postrider.settings.PollSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {
    @TempDir
    Path directory;

    @Test
    void defaultsHoldIfNothingIsSet() {
        Settings settings = read(Map.of(), Map.of());
        assertThat(settings.get(BatchSettings.SIZE)).isEqualTo(2000);
        assertThat(settings.get(BatchSettings.TRANSACTION_SIZE)).isEqualTo(5_000);
        assertThat(settings.get(PollSettings.INTERVAL)).isEqualTo(Duration.ofSeconds(1));
        assertThat(settings.get(KnownSettings.OUTBOX_TABLE)).hasToString("outbox");
        assertThat(settings.find(KnownSettings.DB_URL)).isEmpty();
    }

    @Test
    void environmentBeatsTheFileAndFlagsBeatBoth() throws IOException {
        file("relay: {batch-size: 1, poll-interval: 1h, name: from-file}");
        Settings settings = read(
                Map.of("POSTRIDER_RELAY_BATCH_SIZE", "2", "POSTRIDER_RELAY_POLL_INTERVAL", "2h"),
                Map.of(BatchSettings.SIZE, "3"));
        assertThat(settings.get(BatchSettings.SIZE)).isEqualTo(3);
        assertThat(settings.get(PollSettings.INTERVAL)).isEqualTo(Duration.ofHours(2));
        assertThat(settings.find(RelaySettings.NAME)).contains("from-file");
    }

    @Test
    void namedFileIsReadInsteadOfTheDefaultOne() throws IOException {
        file("table: from_default");
        Files.writeString(directory.resolve("other.yml"), "relay: {name: other}");
        Settings settings = SettingsReader.read(directory, Path.of("other.yml"), Map.of(), Map.of())
                .general();
        assertThat(settings.find(RelaySettings.NAME)).contains("other");
        assertThat(settings.get(KnownSettings.OUTBOX_TABLE)).hasToString("outbox");
    }

    @Test
    void optionsOfEveryKindCanStandInTheFile() throws IOException {
        file("""
                db:
                  url: jdbc:postgresql://localhost:5432/app
                  user: app
                  password: 007
                table: sales.outbox
                kafka:
                  bootstrap-servers: a:9092,b:9092
                  content-mode: structured
                  body-id-field: messageId
                  source: shop
                  topic-prefix: test.
                  routes: {product.viewed: product-view-events}
                  properties: {linger.ms: 5, sasl.mechanism: PLAIN}
                relay:
                  split: 1/3
                  ordering: none
                  retry: {base: 30s, multiplier: 1.5, cap: 1h, jitter: 0, max-retries: 3}
                """);
        Settings settings = read(Map.of(), Map.of());
        assertThat(settings.find(KnownSettings.DB_PASSWORD))
                .as("kept as written")
                .contains("007");
        assertThat(settings.get(KafkaSettings.CONTENT_MODE)).isEqualTo(ContentMode.STRUCTURED);
        assertThat(settings.get(KafkaSettings.ROUTES))
                .containsExactly(Map.entry("product.viewed", "product-view-events"));
        assertThat(settings.get(KafkaSettings.PROPERTIES))
                .containsEntry("linger.ms", "5")
                .hasSize(2);
        assertThat(settings.get(DeliverySettings.SPLIT).index()).isEqualTo(1);
        assertThat(RetrySettings.of(settings).policy())
                .isEqualTo(new Backoff(Duration.ofSeconds(30), 1.5, Duration.ofHours(1), 0, 3));
    }

    @Test
    void everyOptionHasAKeyAndAVariable() {
        for (Option<?> option : KnownSettings.all()) {
            assertThat(KnownSettings.byKey(option.key())).contains(option);
            assertThat(KnownSettings.byVariable(OptionNames.variable(option))).contains(option);
        }
        assertThat(OptionNames.variable("relay.retry.max-retries")).isEqualTo("POSTRIDER_RELAY_RETRY_MAX_RETRIES");
        assertThat(OptionNames.variable(KnownSettings.DB_PASSWORD_FILE)).isEqualTo("POSTRIDER_DB_PASSWORD_FILE");
    }

    @Test
    void everyDefaultCanBeWrittenByAUser() {
        for (Option<?> option : KnownSettings.all()) {
            if (!option.defaultText().isEmpty()) {
                assertThat((Object) option.parse(option.defaultText())).isEqualTo(option.defaultValue());
            }
        }
    }

    @Test
    void kafkaAloneMeansItsServers() throws IOException {
        file("kafka: a:9092");
        assertThat(read(Map.of(), Map.of()).find(KafkaSettings.SERVERS)).contains("a:9092");
        assertThat(read(Map.of("POSTRIDER_KAFKA", "b:9092"), Map.of()).find(KafkaSettings.SERVERS))
                .contains("b:9092");
    }

    @Test
    void severalValuesMayBeAList() throws IOException {
        file("""
                kafka:
                  bootstrap-servers:
                    - a:9092
                    - b:9092
                topics: {names: [orders, payments]}
                """);
        Settings settings = read(Map.of(), Map.of());
        assertThat(settings.find(KafkaSettings.SERVERS)).contains("a:9092,b:9092");
        assertThat(settings.get(KafkaSettings.TOPICS_NAMES)).containsExactly("orders", "payments");
        file("topics: {names: []}");
        assertThat(read(Map.of(), Map.of()).find(KafkaSettings.TOPICS_NAMES)).contains(List.of());
    }

    @Test
    void emptyFilesAndVariablesSetNothing() throws IOException {
        file("# nothing yet\n");
        assertThat(read(Map.of("POSTRIDER_DB_USER", ""), Map.of()).find(KnownSettings.DB_USER))
                .isEmpty();
        file("db:\n  user:\n");
        assertThat(read(Map.of(), Map.of()).find(KnownSettings.DB_USER)).isEmpty();
    }

    @Test
    void pairsInTheEnvironmentAreSeparatedByCommas() {
        Settings settings = read(Map.of("POSTRIDER_KAFKA_PROPERTIES", "linger.ms=5, sasl.x=a=b"), Map.of());
        assertThat(settings.get(KafkaSettings.PROPERTIES))
                .containsOnly(Map.entry("linger.ms", "5"), Map.entry("sasl.x", "a=b"));
    }

    @Test
    void strongerPlaceDecidesBetweenPasswordAndItsFile() throws IOException {
        file("db: {password: a}");
        assertThat(read(Map.of("POSTRIDER_DB_PASSWORD_FILE", "f"), Map.of())
                        .strongest(KnownSettings.DB_PASSWORD, KnownSettings.DB_PASSWORD_FILE))
                .contains(KnownSettings.DB_PASSWORD_FILE);
        file("db: {password-file: f}");
        assertThat(read(Map.of("POSTRIDER_DB_PASSWORD", "a"), Map.of())
                        .strongest(KnownSettings.DB_PASSWORD, KnownSettings.DB_PASSWORD_FILE))
                .contains(KnownSettings.DB_PASSWORD);
    }

    @Test
    void badValueIsRefusedEvenIfAStrongerOneReplacesIt() throws IOException {
        file("relay: {batch-size: many}");
        assertThatThrownBy(() -> read(Map.of(), Map.of(BatchSettings.SIZE, "3")))
                .isInstanceOf(InvalidOptionException.class)
                .hasMessageContaining("many");
    }

    private Settings read(Map<String, String> environment, Map<Option<?>, String> flags) {
        return SettingsReader.read(directory, null, environment, flags).general();
    }

    private void file(String text) throws IOException {
        Files.writeString(directory.resolve("postrider.yml"), text);
    }
}
