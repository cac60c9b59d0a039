package dev.postrider.settings;

import dev.postrider.PostriderException;
import java.util.ArrayList;
import java.util.List;

/**
 * Options that are documented together.
 *
 * @param title heading in the documentation
 * @param options in the order in which they are documented
 */
public record OptionGroup(String title, List<Option<?>> options) {
    public OptionGroup {
        options = List.copyOf(options);
    }

    public static Builder titled(String title) {
        return new Builder(title);
    }

    /** Collects options where they are declared, so that none is declared and left out of the list. */
    public static final class Builder {
        private final String title;
        private final List<Option<?>> options = new ArrayList<>();
        private boolean built;

        private Builder(String title) {
            this.title = title;
        }

        /** Returns the option. */
        public <T> Option<T> add(Option<T> option) {
            if (built) {
                throw new PostriderException("The option " + option.key() + " comes after the end of its group.");
            }
            options.add(option);
            return option;
        }

        public OptionGroup build() {
            built = true;
            return new OptionGroup(title, options);
        }
    }
}
