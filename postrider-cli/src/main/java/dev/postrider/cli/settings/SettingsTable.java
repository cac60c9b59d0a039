package dev.postrider.cli.settings;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Settings in the order in which they are documented. */
public final class SettingsTable {
    private final List<Setting<?>> settings = new ArrayList<>();

    /** See {@link Setting} for what the parameters mean. */
    public <T> Setting<T> add(
            String key, @Nullable String flag, Format<T> format, @Nullable T standard, String description) {
        Setting<T> setting = new Setting<>(key, flag, format, standard, description);
        settings.add(setting);
        return setting;
    }

    void addAll(List<Setting<?>> more) {
        settings.addAll(more);
    }

    public List<Setting<?>> all() {
        return List.copyOf(settings);
    }
}
