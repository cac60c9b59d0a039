package dev.postrider.settings;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.PostriderException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OptionTest {
    @ParameterizedTest
    @ValueSource(strings = {"batchSize", "relay.", "relay.batch_size", "", "relay.-size"})
    void keyThatIsNotInLowerCaseWithHyphensIsRefused(String key) {
        assertThatThrownBy(() -> Option.of(key, Formats.TEXT, "x", "Some text."))
                .isInstanceOf(PostriderException.class);
    }

    @Test
    void defaultMustBeAllowed() {
        assertThatThrownBy(() -> Option.of("size", Formats.wholeNumber(1, 2), 3, "A size."))
                .hasMessage("size is 3; it must be a whole number from 1 to 2.");
    }

    @Test
    void optionDeclaredAfterItsGroupIsRefused() {
        OptionGroup.Builder group = OptionGroup.titled("Sizes");
        group.build();

        assertThatThrownBy(() -> group.add(Option.of("size", Formats.TEXT, "x", "A size.")))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("size");
    }
}
