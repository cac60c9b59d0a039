package dev.postrider.settings;

import dev.postrider.PostriderException;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What is set, wherever that was: in a file, in the environment, in Java. */
public interface OptionValues {

    /** Nothing is set, and every option has its default. */
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
     * What it is set to; empty if it is not set.
     *
     * @throws InvalidOptionException if it is set to something that is not allowed
     */
    <T> Optional<T> given(Option<T> option);

    /** What it is set to, or its default; empty if it is not set and has no default. */
    default <T> Optional<T> find(Option<T> option) {
        Optional<T> given = given(option);
        return given.isPresent() ? given : Optional.ofNullable(option.defaultValue());
    }

    /** What it is set to, or its default. Only for options that have one. */
    default <T> T get(Option<T> option) {
        return find(option).orElseThrow(() -> new PostriderException(option.key() + " is not set and has no default."));
    }
}
