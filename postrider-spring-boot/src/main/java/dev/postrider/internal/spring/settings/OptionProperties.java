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

    private static final String DEAD_LETTER_FILE = "relay.dead-letter.file";

    private final OptionValues values;

    /** Of the properties of this outbox, with the dot at its end. */
    private final String prefix;

    private OptionProperties(OptionValues values, String prefix) {
        this.values = values;
        this.prefix = prefix;
    }

    /**
     * Those of the main outbox, below {@code postrider}. Whatever is set is checked, needed or not, and for further outboxes too.
     *
     * @param others what can be set below {@code postrider} beside the options
     * @throws PostriderStartException if there is no such property, or its value is not allowed
     */
    public static OptionProperties read(Environment environment, Class<? extends Record> others) {
        KnownProperties.of(others).refuseOthers(environment);
        Map<String, String> texts = texts(Binder.get(environment), PropertyNames.PREFIX, PropertyNames.PREFIX);
        OptionProperties main = checked(environment, texts, "", PropertyNames.PREFIX);
        OutboxBinder.names(environment).forEach(outbox -> read(environment, outbox));
        return main;
    }

    /**
     * Those of a further outbox. What is not set for it is as it is for the main one; but what the database cannot take goes to
     * a file of its own, from which it will go back to the outbox that it came from.
     *
     * @throws PostriderStartException if a value is not allowed
     */
    public static OptionProperties read(Environment environment, String outbox) {
        String prefix = OutboxBinder.OUTBOXES + "." + outbox + ".";
        Map<String, String> texts = texts(OutboxBinder.of(environment, outbox), "", prefix);
        String own = Binder.get(environment)
                .bind(prefix + DEAD_LETTER_FILE, String.class)
                .orElse("");
        if (!StringUtils.hasText(own)) {
            String ofMain = texts.getOrDefault(
                    DEAD_LETTER_FILE,
                    RelayOptions.all().stream()
                            .filter(option -> option.key().equals(DEAD_LETTER_FILE))
                            .findFirst()
                            .orElseThrow()
                            .defaultText());
            texts.put(DEAD_LETTER_FILE, withName(ofMain, outbox));
        }
        return checked(environment, texts, "-" + outbox, prefix);
    }

    private static String withName(String file, String outbox) {
        String extension = StringUtils.getFilenameExtension(file);
        return extension == null
                ? file + "-" + outbox
                : StringUtils.stripFilenameExtension(file) + "-" + outbox + "." + extension;
    }

    /**
     * @param base what names begin with for the binder
     * @param shown what they begin with for people
     */
    private static Map<String, String> texts(Binder binder, String base, String shown) {
        Map<String, String> texts = new HashMap<>();
        for (Option<?> option : RelayOptions.all()) {
            String text = text(binder, option, base + option.key(), shown + option.key());
            if (text != null) {
                texts.put(option.key(), text);
            }
        }
        return texts;
    }

    private static OptionProperties checked(
            Environment environment, Map<String, String> texts, String suffix, String prefix) {
        texts.computeIfAbsent(
                RelaySettings.NAME.key(), key -> name(environment.getProperty("spring.application.name"), suffix));
        OptionProperties read = new OptionProperties(OptionValues.ofTexts(texts::get), prefix);
        read.checkTogether();
        return read;
    }

    /** Null if it is not set. An empty text sets nothing, so that {@code ${POD_NAME:}} can be written. */
    private static @Nullable String text(Binder binder, Option<?> option, String name, String shown) {
        List<ConfigurationProperty> found = new ArrayList<>(1);
        Object value = binder.bind(name, Bindable.of(Object.class), new BoundPropertiesTrackingBindHandler(found::add))
                .orElse(null);
        String text = value == null ? "" : text(option, value);
        if (text.isBlank()) {
            return null;
        }
        try {
            option.format().parse(text, shown);
            return text;
        } catch (InvalidOptionException e) {
            throw new PostriderStartException(
                    String.valueOf(e.getMessage()),
                    "Correct what is set by "
                            + (found.isEmpty() || found.get(0).getOrigin() == null ? shown : SetBy.of(found.get(0)))
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
    private static String name(@Nullable String application, String suffix) {
        String standard = RelaySettings.defaults().name();
        return (StringUtils.hasText(application) ? application : "relay")
                + suffix
                + standard.substring("relay".length());
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
                    PropertyNames.in(String.valueOf(e.getMessage()), prefix), "Change one of the two properties.", e);
        }
    }
}
