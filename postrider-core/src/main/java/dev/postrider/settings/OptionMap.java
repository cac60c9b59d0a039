package dev.postrider.settings;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Values set one after the other, for builders. They are not checked here, but when the settings are built from all of
 * them.
 */
public final class OptionMap implements OptionValues {
    private final Map<Option<?>, Object> values = new HashMap<>();

    /**
     * @param value null means that it is not set
     */
    public <T> void set(Option<T> option, @Nullable T value) {
        if (value == null) {
            values.remove(option);
        } else {
            values.put(option, value);
        }
    }

    @Override
    @SuppressWarnings("unchecked") // set as a value of this option
    public <T> Optional<T> given(Option<T> option) {
        return Optional.ofNullable((T) values.get(option));
    }
}
