package dev.postrider.cli.destination;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.settings.KnownSettings;
import dev.postrider.cli.settings.Setting;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the commands rely on when they ask the list. */
class DestinationsTest {

    static List<Destination> destinations() {
        return Destinations.all();
    }

    @ParameterizedTest
    @MethodSource("destinations")
    void settingsOfADestinationAreKnownAndBeginWithItsName(Destination destination) {
        assertThat(KnownSettings.within(destination.name())).isNotEmpty().allMatch(destination.settings()::contains);
        assertThat(KnownSettings.within(Destinations.groupsAnd(destination::equals)))
                .isEqualTo(KnownSettings.within(destination.name()));
    }

    @ParameterizedTest
    @MethodSource("destinations")
    void nameAloneMeansASettingOfTheDestinationItself(Destination destination) {
        List<Setting<?>> own = destination.settings();

        assertThat(destination.byNameAlone().stream()).allMatch(own::contains);
    }

    @Test
    void sentenceNamesAllOfThem() {
        assertThat(Destinations.inWords()).isEqualTo("to Kafka, to webhooks, or to the log");
    }
}
