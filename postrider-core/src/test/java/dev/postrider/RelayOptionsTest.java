package dev.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.alert.AlertRules;
import dev.postrider.alert.webhook.AlertChannels;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.settings.IntegritySettings;
import dev.postrider.settings.InvalidOptionException;
import dev.postrider.settings.Option;
import dev.postrider.settings.OptionValues;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is said of every option. A new one is tested here without another line. */
class RelayOptionsTest {
    /** For each type of option there is one that is not its default. */
    private static final List<String> TEXTS = List.of(
            "7",
            "33554432",
            "0.5",
            "true",
            "false",
            "4s",
            "2m",
            "25m",
            "03:04",
            "Europe/Zurich",
            "1/3",
            "https://hooks.example/secret",
            "other",
            "fixed",
            "none",
            "session",
            "delete",
            "hold-key",
            "required",
            "poll");

    static Stream<Option<?>> options() {
        return RelayOptions.all().stream();
    }

    @ParameterizedTest
    @MethodSource("options")
    void valueThatIsSetReachesTheRelay(Option<?> option) {
        Relays unset = Relays.of(Map.of());

        assertThat(TEXTS)
                .anyMatch(text -> isTaken(option, text) && !relays(option, text).equals(unset));
    }

    private static boolean isTaken(Option<?> option, String text) {
        try {
            relays(option, text);
            return true;
        } catch (InvalidOptionException e) {
            return false;
        }
    }

    private static Relays relays(Option<?> option, String text) {
        return Relays.of(Map.of(option.key(), text));
    }

    /** Everything that is made from options. */
    private record Relays(
            RelaySettings settings,
            IntegritySettings integrity,
            HousekeepingSettings housekeeping,
            AlertRules rules,
            List<String> channels) {

        static Relays of(Map<String, String> texts) {
            OptionValues values =
                    OptionValues.ofTexts(key -> texts.getOrDefault(key, key.equals("relay.name") ? "relay" : null));
            return new Relays(
                    RelaySettings.of(values),
                    IntegritySettings.of(values),
                    HousekeepingSettings.of(values),
                    AlertRules.of(values),
                    channels(values));
        }

        private static List<String> channels(OptionValues values) {
            return AlertChannels.of(values, "relay").stream()
                    .map(channel -> {
                        channel.close();
                        return channel.getClass().getSimpleName();
                    })
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("options")
    void defaultCanBeWrittenAsText(Option<?> option) {
        if (option.defaultValue() != null) {
            assertThat((Object) option.parse(option.defaultText())).isEqualTo(option.defaultValue());
        }
    }

    @Test
    void keysDiffer() {
        assertThat(options().map(Option::key)).doesNotHaveDuplicates();
    }

    @Test
    void valueThatIsNotAllowedIsRefusedWithItsOption() {
        assertThatThrownBy(() -> Relays.of(Map.of("relay.batch-size", "many")))
                .isInstanceOf(InvalidOptionException.class)
                .hasMessage("relay.batch-size is [many]; it must be a whole number from 1 to 10000.");
    }

    @Test
    void secretsAreNotQuoted() {
        assertThatThrownBy(() -> Relays.of(Map.of("alerts.slack-url", "s3cret")))
                .hasMessage("alerts.slack-url is not usable; it must be a URL that begins with https:// or http://.");
    }
}
