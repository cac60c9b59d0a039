package dev.postrider.settings;

import dev.postrider.PostriderException;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The values that are set, wherever they come from: a file, the environment, Java. */
public interface OptionValues {

    /** Nothing is set: every option has its default. */
    OptionValues NONE = ofTexts(key -> null);

    /**
     * Values as text.
     *
     * @param texts from keys to texts; null means that the option is not set
     */
    static OptionValues ofTexts(Function<String, @Nullable String> texts) {
        return new OptionValues() {
            @Override
            public <T> Optional<T> given(Option<T> option) {
                return Optional.ofNullable(texts.apply(option.key())).map(option::parse);
            }
        };
    }

    /**
     * The value that is set; empty if none is set.
     *
     * @throws InvalidOptionException if it is set to something that is not allowed
     */
    <T> Optional<T> given(Option<T> option);

    /** The value that is set, or the default; empty if there is neither. */
    default <T> Optional<T> find(Option<T> option) {
        Optional<T> given = given(option);
        return given.isPresent() ? given : Optional.ofNullable(option.defaultValue());
    }

    /** The value that is set, or the default. Only for options that have a default. */
    default <T> T get(Option<T> option) {
        return find(option).orElseThrow(() -> new PostriderException(option.key() + " is not set and has no default."));
    }
}
