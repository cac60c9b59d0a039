package dev.postrider.cli.configuration;

import dev.postrider.OutboxTable;
import dev.postrider.RelayOptions;
import dev.postrider.cli.destination.Destination;
import dev.postrider.cli.settings.CliFormats;
import dev.postrider.cli.settings.OptionNames;
import dev.postrider.http.HttpSettings;
import dev.postrider.internal.settings.Nearest;
import dev.postrider.settings.Formats;
import dev.postrider.settings.Option;
import dev.postrider.settings.OptionGroup;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Everything that can be set: the database, the destinations, and what {@link RelayOptions} says of relays, and HTTP. */
public final class KnownSettings {
    private static final OptionGroup.Builder DATABASE = OptionGroup.titled("Database");

    public static final Option<String> DB_URL = DATABASE.add(
            Option.withoutDefault("db.url", CliFormats.JDBC_URL, "JDBC URL of the database with the outbox.")
                    .withFlag("--db-url"));
    public static final Option<String> DB_USER = DATABASE.add(
            Option.withoutDefault("db.user", Formats.TEXT, "Database user.").withFlag("--db-user"));
    public static final Option<String> DB_PASSWORD = DATABASE.add(Option.withoutDefault(
            "db.password", CliFormats.SECRET, "The user's password. There is no flag for it on purpose."));
    public static final Option<Path> DB_PASSWORD_FILE =
            DATABASE.add(Option.withoutDefault("db.password-file", Formats.FILE, "File that holds the user's password.")
                    .withFlag("--db-password-file"));
    public static final Option<String> DB_REPLICATION_USER = DATABASE.add(Option.withoutDefault(
            "db.replication-user",
            Formats.TEXT,
            "Role that may read PostgreSQL's replication stream, which then wakes relays; best one of its own. It connects"
                    + " to db.url."));
    public static final Option<String> DB_REPLICATION_PASSWORD =
            DATABASE.add(Option.withoutDefault("db.replication-password", CliFormats.SECRET, "That role's password."));
    public static final Option<Path> DB_REPLICATION_PASSWORD_FILE = DATABASE.add(Option.withoutDefault(
            "db.replication-password-file", Formats.FILE, "File that holds that role's password."));
    public static final Option<OutboxTable> OUTBOX_TABLE = DATABASE.add(
            Option.of("table", CliFormats.TABLE, OutboxTable.DEFAULT, "The outbox's table, with its schema if needed.")
                    .withFlag("--table"));

    private static final OptionGroup.Builder DESTINATION = OptionGroup.titled("Destination");

    public static final Option<Destination> RELAY_DESTINATION = DESTINATION.add(Option.of(
                    "relay.destination",
                    Formats.oneOf(Destination.class, Destinations.all(), Destination::name),
                    Destinations.standard(),
                    "What events are delivered to.")
            .withFlag("--destination"));

    private static final List<OptionGroup> GROUPS = Stream.of(
                    Stream.of(DATABASE.build(), DESTINATION.build()),
                    Destinations.all().stream().flatMap(destination -> destination.options().stream()),
                    RelayOptions.groups().stream(),
                    Stream.of(HttpSettings.OPTIONS))
            .flatMap(groups -> groups)
            .toList();

    private static final List<Option<?>> ALL = GROUPS.stream()
            .<Option<?>>flatMap(group -> group.options().stream())
            .toList();

    /** Where a destination's name alone is enough: {@code kafka: localhost:9092}. */
    private static final Map<String, Option<?>> SHORT_KEYS = Destinations.optionsByNameAlone();

    private KnownSettings() {}

    /** In the order in which they are documented. */
    static List<OptionGroup> groups() {
        return GROUPS;
    }

    /** In the order in which they are documented. */
    public static List<Option<?>> all() {
        return ALL;
    }

    /** Every key, and every path that leads to one. */
    static Set<String> keysAndGroups() {
        Set<String> paths = new TreeSet<>();
        for (Option<?> option : ALL) {
            String key = option.key();
            for (int dot = key.indexOf('.'); dot >= 0; dot = key.indexOf('.', dot + 1)) {
                paths.add(key.substring(0, dot));
            }
            paths.add(key);
        }
        return paths;
    }

    /** Those that are one of these paths or lie below one. */
    public static List<Option<?>> within(String... paths) {
        return ALL.stream()
                .filter(option -> Stream.of(paths).anyMatch(path -> OptionNames.isWithin(option, path)))
                .toList();
    }

    /** The flag of the option whose key, or the end of it, somebody has typed as a flag: {@code --bootstrap-server}. */
    public static Optional<String> flagMeantBy(String typed) {
        Map<String, String> flags = new TreeMap<>();
        for (Option<?> option : ALL) {
            String flag = option.flag();
            if (flag != null) {
                flags.put("--" + option.key().replace('.', '-'), flag);
                flags.put("--" + option.key().substring(option.key().lastIndexOf('.') + 1), flag);
            }
        }
        return Nearest.to(typed, flags.keySet()).map(flags::get);
    }

    static Optional<Option<?>> byKey(String key) {
        Optional<Option<?>> known =
                ALL.stream().filter(option -> option.key().equals(key)).findFirst();
        return known.isPresent() ? known : Optional.ofNullable(SHORT_KEYS.get(key));
    }

    static Optional<Option<?>> byVariable(String variable) {
        Optional<Option<?>> known = ALL.stream()
                .filter(option -> OptionNames.variable(option).equals(variable))
                .findFirst();
        return known.isPresent()
                ? known
                : SHORT_KEYS.entrySet().stream()
                        .filter(entry -> OptionNames.variable(entry.getKey()).equals(variable))
                        .<Option<?>>map(Map.Entry::getValue)
                        .findFirst();
    }
}
