package dev.postrider.cli.settings;

import dev.postrider.settings.Option;
import dev.postrider.settings.OptionValues;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is set, from the file, the environment and the flags, the later beating the earlier. Everything
 * that was given has been checked, needed or not.
 */
public final class Settings implements OptionValues {
    private final Map<Option<?>, Given> given;

    public Settings(Map<Option<?>, Given> given) {
        this.given = Map.copyOf(given);
    }

    @Override
    @SuppressWarnings("unchecked") // put there by the option's own format
    public <T> Optional<T> given(Option<T> option) {
        Given value = given.get(option);
        return value == null ? Optional.empty() : Optional.of((T) value.value());
    }

    /** The same, with relative paths of files, also of those that are defaults, as paths from this directory. */
    public OptionValues in(Path directory) {
        return new OptionValues() {
            @Override
            public <T> Optional<T> given(Option<T> option) {
                return Settings.this.given(option).map(this::resolve);
            }

            @Override
            public <T> Optional<T> find(Option<T> option) {
                return Settings.this.find(option).map(this::resolve);
            }

            @SuppressWarnings("unchecked") // a path for a path
            private <T> T resolve(T value) {
                return value instanceof Path path ? (T) directory.resolve(path) : value;
            }
        };
    }

    /**
     * @throws UsageException if it is not set
     */
    public <T> T require(Option<T> option) {
        return find(option)
                .orElseThrow(() -> new UsageException(
                        option.key() + " is needed and not set: use " + OptionNames.ways(option) + "."));
    }

    /** Who has given it, and where; empty if it has its default, or none. */
    public Optional<Given> origin(Option<?> option) {
        return Optional.ofNullable(given.get(option));
    }

    /** Whether it stands on the command line, where others can see it. */
    public boolean isFlag(Option<?> option) {
        Given value = given.get(option);
        return value != null && value.layer() == Given.Layer.FLAG;
    }

    /** Of options that replace each other, the one that was given in the strongest place. */
    public Optional<Option<?>> strongest(Option<?> one, Option<?> other) {
        List<Option<?>> candidates = new ArrayList<>(List.of(one, other));
        candidates.removeIf(option -> !given.containsKey(option));
        if (candidates.size() < 2) {
            return candidates.stream().findFirst();
        }
        Given first = given.get(one);
        Given second = given.get(other);
        if (first.layer() == second.layer()) {
            throw new UsageException(first.origin() + " and " + second.origin() + " exclude each other; keep one.");
        }
        return Optional.of(first.layer().compareTo(second.layer()) > 0 ? one : other);
    }
}
