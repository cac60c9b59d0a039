package dev.postrider.internal.spring.settings;

import dev.postrider.RelayOptions;
import dev.postrider.RelaySettings;
import dev.postrider.alert.AlertRules;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.settings.IntegritySettings;
import dev.postrider.settings.InvalidOptionException;
import dev.postrider.settings.Option;
import dev.postrider.settings.OptionValues;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.BoundPropertiesTrackingBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * What is set of the options of a relay. Each is a property: {@code relay.batch-size} is {@code postrider.relay.batch-size}, in
 * every spelling, from every source and with every placeholder that Spring Boot knows. The text is the option's own to
 * understand.
 */
public final class OptionProperties {
    private static final int MINUTES_OF_A_DAY = 24 * 60;

    private final OptionValues values;

    private OptionProperties(OptionValues values) {
        this.values = values;
    }

    /**
     * Whatever is set is checked, needed or not.
     *
     * @param others what can be set below {@code postrider} beside the options
     * @throws PostriderStartException if there is no such property, or its value is not allowed
     */
    public static OptionProperties read(Environment environment, Class<? extends Record> others) {
        KnownProperties.of(others).refuseOthers(environment);
        Binder binder = Binder.get(environment);
        Map<String, String> texts = new HashMap<>();
        for (Option<?> option : RelayOptions.all()) {
            String text = text(binder, option);
            if (text != null) {
                texts.put(option.key(), text);
            }
        }
        texts.computeIfAbsent(
                RelaySettings.NAME.key(), key -> name(environment.getProperty("spring.application.name")));
        OptionProperties read = new OptionProperties(OptionValues.ofTexts(texts::get));
        read.checkTogether();
        return read;
    }

    /** Null if it is not set. An empty text sets nothing, so that {@code ${POD_NAME:}} can be written. */
    private static @Nullable String text(Binder binder, Option<?> option) {
        List<ConfigurationProperty> found = new ArrayList<>(1);
        Object value = binder.bind(
                        PropertyNames.of(option),
                        Bindable.of(Object.class),
                        new BoundPropertiesTrackingBindHandler(found::add))
                .orElse(null);
        String text = value == null ? "" : text(option, value);
        if (text.isBlank()) {
            return null;
        }
        try {
            option.format().parse(text, PropertyNames.of(option));
            return text;
        } catch (InvalidOptionException e) {
            throw new PostriderStartException(
                    String.valueOf(e.getMessage()),
                    "Correct what is set by "
                            + (found.isEmpty() ? PropertyNames.of(option) : SetBy.of(found.get(0)))
                            + ".");
        }
    }

    /** In YAML, {@code off} is a boolean and {@code 14:30} a number of minutes. */
    private static String text(Option<?> option, Object value) {
        Class<?> wanted = option.format().type();
        if (value instanceof Boolean on && wanted != Boolean.class) {
            return on ? "on" : "off";
        }
        if (value instanceof Integer minutes
                && wanted == LocalTime.class
                && minutes >= 0
                && minutes < MINUTES_OF_A_DAY) {
            return LocalTime.ofSecondOfDay(minutes * 60L).toString();
        }
        return value.toString();
    }

    /** What a relay is called if nobody says: as everywhere, but after the application. */
    private static String name(@Nullable String application) {
        String standard = RelaySettings.defaults().name();
        return StringUtils.hasText(application) ? application + standard.substring("relay".length()) : standard;
    }

    private void checkTogether() {
        make(RelaySettings::of);
        make(HousekeepingSettings::of);
        make(AlertRules::of);
        make(IntegritySettings::of);
    }

    /**
     * Settings with what is set.
     *
     * @throws PostriderStartException if two options do not fit together
     */
    public <S> S make(Function<OptionValues, S> settings) {
        try {
            return settings.apply(values);
        } catch (InvalidOptionException e) {
            throw new PostriderStartException(
                    PropertyNames.in(String.valueOf(e.getMessage())), "Change one of the two properties.", e);
        }
    }
}
