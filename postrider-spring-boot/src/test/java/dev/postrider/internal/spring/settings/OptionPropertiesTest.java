package dev.postrider.internal.spring.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.postrider.RelayOptions;
import dev.postrider.RelaySettings;
import dev.postrider.alert.AlertChannel;
import dev.postrider.alert.AlertRules;
import dev.postrider.alert.webhook.AlertChannels;
import dev.postrider.failure.CircuitSettings;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.housekeeping.Schedule;
import dev.postrider.internal.spring.failure.PostriderFailureAnalyzer;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.settings.Option;
import dev.postrider.spring.autoconfigure.PostriderProperties;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

/** Every option of a relay is a property, wherever and however it is written. */
class OptionPropertiesTest {
    /** No format takes it, but for names, which may be any text. */
    private static final String NEVER_ALLOWED = "\0";

    private final StandardEnvironment environment = new StandardEnvironment();

    static Stream<Option<?>> options() {
        return RelayOptions.all().stream();
    }

    private void set(Map<String, Object> properties) {
        environment.getPropertySources().addFirst(new MapPropertySource("application", properties));
    }

    private void setVariables(Map<String, Object> variables) {
        String name = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
        environment.getPropertySources().replace(name, new SystemEnvironmentPropertySource(name, variables));
    }

    private void setYaml(String text) throws IOException {
        new YamlPropertySourceLoader()
                .load(
                        "application.yml",
                        new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8), "application.yml"))
                .forEach(environment.getPropertySources()::addFirst);
    }

    private OptionProperties read() {
        return OptionProperties.read(environment, PostriderProperties.class);
    }

    private RelaySettings relay() {
        return read().make(RelaySettings::of);
    }

    private FailureAnalysis refusal() {
        return Objects.requireNonNull(new PostriderFailureAnalyzer()
                .analyze(catchThrowableOfType(PostriderStartException.class, this::read)));
    }

    @ParameterizedTest
    @MethodSource("options")
    void everyOptionIsAPropertyAndCheckedAsItself(Option<?> option) {
        String property = "postrider." + option.key();
        if (option.equals(RelaySettings.NAME)) {
            set(Map.of(property, "till"));
            assertThat(relay().name()).isEqualTo("till");
        } else {
            set(Map.of(property, NEVER_ALLOWED));
            assertThat(refusal().getDescription())
                    .startsWith(property + " is ")
                    .endsWith("; it must be " + option.format().allowed() + ".");
        }
    }

    @ParameterizedTest
    @MethodSource("options")
    void optionsThatAreEmptyAreNotSet(Option<?> option) {
        set(Map.of("postrider." + option.key(), ""));

        assertThat(relay()).usingRecursiveComparison().ignoringFields("name").isEqualTo(RelaySettings.defaults());
    }

    @ParameterizedTest
    @ValueSource(strings = {"postrider.relay.batch-size", "postrider.relay.batchSize", "postrider.relay.batch_size"})
    void namesAreAsRelaxedAsElsewhereInSpringBoot(String property) {
        set(Map.of(property, 7));

        assertThat(relay().batch().size()).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(strings = {"POSTRIDER_RELAY_BATCHSIZE", "POSTRIDER_RELAY_BATCH_SIZE"})
    void variablesAreRead(String variable) {
        setVariables(Map.of(variable, "7"));

        assertThat(relay().batch().size()).isEqualTo(7);
    }

    @Test
    void placeholdersAreFilledIn() {
        setVariables(Map.of("PAUSE", "200ms"));
        set(Map.of("postrider.relay.poll-interval", "${PAUSE}", "postrider.relay.name", "${POD_NAME:}"));

        assertThat(relay().polling().interval()).isEqualTo(Duration.ofMillis(200));
        assertThat(relay().name()).startsWith("relay-");
    }

    @Test
    void relayIsNamedAfterTheApplication() {
        set(Map.of("spring.application.name", "shop"));

        assertThat(relay().name()).matches("shop-\\d+-\\w{4}");
    }

    /** For YAML the first is a boolean, and the second a number. */
    @Test
    void offAndTimesOfDayNeedNoQuotesInYaml() throws IOException {
        setYaml("""
                postrider:
                  alerts:
                    pending: off
                  relay:
                    circuit: {failure-rate: off}
                  retention:
                    at: 14:30
                    zone: Europe/Zurich
                """);

        assertThat(read().make(AlertRules::of).pending()).isEqualTo(AlertRules.OFF);
        assertThat(relay().circuit()).isEqualTo(CircuitSettings.OFF);
        assertThat(read().make(HousekeepingSettings::of).schedule())
                .isEqualTo(Schedule.daily(LocalTime.of(14, 30), ZoneId.of("Europe/Zurich")));
    }

    @Test
    void propertiesThatThePageShowsAreAllowed() throws IOException {
        Matcher shown = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("..", "docs", "spring.md")));
        assertThat(shown.find()).isTrue();
        setYaml(shown.group(1));
        setVariables(Map.of("SLACK_URL", "https://hooks.slack.example/T0KEN"));

        assertThat(relay().batch().size()).isEqualTo(500);
        assertThat(read().make(AlertRules::of).pending()).isEqualTo(5000);
        List<AlertChannel> channels = read().make(values -> AlertChannels.of(values, "relay"));
        channels.forEach(AlertChannel::close);
        assertThat(channels).hasSize(2);
    }

    @Test
    void groupsThatAreEmptyInAFileSetNothing() throws IOException {
        setYaml("postrider:\n  relay:\n    circuit:\n  retention:\n");

        assertThat(relay().circuit()).isEqualTo(RelaySettings.defaults().circuit());
    }

    @Test
    void refusalNamesThePropertyItsValueAndWhereItIsSet() throws IOException {
        setYaml("postrider:\n  relay:\n    batch-size: 0\n");

        assertThat(refusal().getDescription())
                .isEqualTo("postrider.relay.batch-size is [0]; it must be a whole number from 1 to 10000.");
        assertThat(refusal().getAction()).contains("application.yml").contains("3:17");
    }

    @Test
    void variableThatIsRefusedIsNamed() {
        setVariables(Map.of("POSTRIDER_RELAY_BATCHSIZE", "many"));

        assertThat(refusal().getDescription()).startsWith("postrider.relay.batch-size is [many]");
        assertThat(refusal().getAction()).contains("POSTRIDER_RELAY_BATCHSIZE");
    }

    @Test
    void secretIsNotTold() {
        set(Map.of("postrider.alerts.slack-url", "hooks.slack.example/T0KEN"));

        assertThatThrownBy(this::read)
                .hasMessageContaining("postrider.alerts.slack-url is not usable; it must be a URL")
                .message()
                .doesNotContain("T0KEN");
    }

    @Test
    void optionsThatDoNotFitTogetherAreBothNamedAsProperties() {
        set(Map.of("postrider.relay.max-event-bytes", "20", "postrider.relay.max-batch-bytes", "10"));

        assertThat(refusal().getDescription())
                .isEqualTo("postrider.relay.max-event-bytes is 20; it must be at most postrider.relay.max-batch-bytes,"
                        + " which is 10.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postrider.tabel -> postrider.table",
                "postrider.relay.batchsizes -> postrider.relay.batch-size",
                "postrider.retention.publish -> postrider.retention.published",
                "postrider.relay.circuit.windows -> postrider.relay.circuit.window",
                "postrider.webhook.secrets[0] -> postrider.webhook.secret"
            })
    void unknownPropertyIsRefusedWithTheNearestKnown(String mistake) {
        String[] names = mistake.split(" -> ");
        set(Map.of(names[0], "1"));

        assertThat(refusal().getDescription())
                .isEqualTo("There is no property " + names[0] + "; did you mean " + names[1] + "?");
        assertThat(refusal().getAction()).contains("property source \"application\"");
    }

    @Test
    void unknownPropertyThatIsNearNothingIsRefusedWithoutAGuess() {
        set(Map.of("postrider.colour", "blue", "postrider.relay.flavour.of.the.day", "vanilla"));

        assertThat(refusal().getDescription())
                .isEqualTo(
                        "There is no property postrider.colour. There is no property postrider.relay.flavour.of.the.day.");
    }

    @Test
    void whateverIsBelowMapsAndListsIsTheirs() {
        set(Map.of(
                "postrider.kafka.routes.shop.order.placed", "orders",
                "postrider.kafka.properties[compression.type]", "lz4",
                "postrider.webhook.secret[0]", "whsec_1",
                "postrider.webhook.headers.X-Shop", "1"));

        assertThat(relay()).isNotNull();
    }

    /** Kubernetes, for example, puts variables about services there. */
    @Test
    void variablesThatMeanNothingAreLeftAlone() {
        setVariables(Map.of("POSTRIDER_SERVICE_HOST", "10.0.0.1"));

        assertThat(relay()).isNotNull();
    }

    /** But a dead letter's file is that of one outbox: what is in it goes back there. */
    @Test
    void furtherOutboxHasWhatIsSetForItAndOtherwiseWhatIsSetForAll() {
        set(Map.of(
                "spring.application.name", "shop",
                "postrider.relay.batch-size", 7,
                "postrider.relay.network-timeout", "9s",
                "postrider.relay.dead-letter.file", "letters.jsonl",
                "postrider.outboxes.audit.relay.batchSize", "${size:8}"));
        setVariables(Map.of("POSTRIDER_OUTBOXES_AUDIT_RELAY_LEASELENGTH", "30s"));

        RelaySettings audit = OptionProperties.read(environment, "audit").make(RelaySettings::of);

        assertThat(audit.batch().size()).isEqualTo(8);
        assertThat(audit.name()).startsWith("shop-audit-");
        assertThat(audit.deadLetters().file()).isEqualTo(Path.of("letters-audit.jsonl"));
        assertThat(audit.toString()).contains("PT9S", "PT30S");
        assertThat(relay().batch().size()).isEqualTo(7);
    }
}
