package dev.postrider.cli.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.destination.Destination;
import dev.postrider.settings.Option;
import dev.postrider.settings.OptionGroup;
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
    void optionsOfADestinationAreKnownAndBeginWithItsName(Destination destination) {
        assertThat(KnownSettings.within(destination.name())).isNotEmpty().allMatch(own(destination)::contains);
        assertThat(KnownSettings.within(Destinations.groupsAnd(destination::equals)))
                .isEqualTo(KnownSettings.within(destination.name()));
    }

    @ParameterizedTest
    @MethodSource("destinations")
    void nameAloneMeansAnOptionOfTheDestinationItself(Destination destination) {
        assertThat(destination.byNameAlone().stream()).allMatch(own(destination)::contains);
    }

    private static List<Option<?>> own(Destination destination) {
        return destination.options().stream()
                .map(OptionGroup::options)
                .<Option<?>>flatMap(List::stream)
                .toList();
    }

    @Test
    void sentenceNamesAllOfThem() {
        assertThat(Destinations.inWords()).isEqualTo("to Kafka, to webhooks, or to the log");
    }
}
