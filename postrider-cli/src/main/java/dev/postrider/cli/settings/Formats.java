package dev.postrider.cli.settings;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.Split;
import dev.postrider.alert.AlertRules;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.postgresql.Driver;

/** The formats there are. */
public final class Formats {
    private static final Pattern DURATION_TEXT = Pattern.compile("(\\d{1,9})\\s*(ms|s|m|h|d)");
    private static final Pattern SPLIT_TEXT = Pattern.compile("(\\d{1,6})/(\\d{1,6})");
    private static final Pattern SERVERS_TEXT = Pattern.compile(
            "([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+]):(\\d{1,5})(,\\s*([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+]):\\d{1,5})*");

    /** From the largest, so that a duration is printed in the largest unit that divides it. */
    private static final List<Map.Entry<String, Duration>> UNITS = List.of(
            Map.entry("d", Duration.ofDays(1)),
            Map.entry("h", Duration.ofHours(1)),
            Map.entry("m", Duration.ofMinutes(1)),
            Map.entry("s", Duration.ofSeconds(1)),
            Map.entry("ms", Duration.ofMillis(1)));

    public static final Format<String> TEXT =
            Format.of("<text>", "some text", text -> require(text, !text.isBlank()), Function.identity());

    public static final Format<String> PREFIX = Format.of(
            "<text>",
            "letters, digits, dots, underscores or hyphens",
            text -> require(text, text.matches("[A-Za-z0-9._-]*")),
            Function.identity());

    public static final Format<String> SECRET =
            new Format<>("<secret>", "some text", true, Function.identity(), text -> "(secret)");

    public static final Format<Path> FILE = Format.of("<file>", "the path of a file", Path::of, Path::toString);

    public static final Format<String> JDBC_URL = Format.of(
            "<url>",
            "a JDBC URL of PostgreSQL, MariaDB or MySQL, such as jdbc:postgresql://localhost:5432/app",
            Formats::parseJdbcUrl,
            Function.identity());

    private static String parseJdbcUrl(String text) {
        if (text.startsWith("jdbc:")) {
            requireKnownDatabase(text);
        }
        return require(text, isJdbcUrl(text));
    }

    private static void requireKnownDatabase(String url) {
        try {
            DatabaseFamily.ofUrl(url);
        } catch (PostriderException e) {
            throw new RefusedText(String.valueOf(e.getMessage()));
        }
    }

    private static boolean isJdbcUrl(String text) {
        return text.matches("jdbc:(mariadb|mysql):(.+:)?//.+/.+") || Driver.parseURL(text, null) != null;
    }

    public static final Format<OutboxTable> TABLE = Format.of(
            "<table>",
            "table or schema.table, of lower-case letters, digits and underscores",
            OutboxTable::parse,
            OutboxTable::toString);

    public static final Format<String> SERVERS = Format.of(
            "<host:port,..>",
            "host:port, or several of them separated by commas",
            text -> require(text, SERVERS_TEXT.matcher(text).matches()),
            Function.identity());

    public static final Format<Duration> DURATION = Format.of(
            "<duration>",
            "a whole number and a unit, such as 200ms, 5s, 10m or 1h",
            Formats::parseDuration,
            Formats::printDuration);

    public static final Format<LocalTime> TIME_OF_DAY =
            Format.of("<hh:mm>", "a time of day, such as 02:00", LocalTime::parse, LocalTime::toString);

    public static final Format<ZoneId> ZONE =
            Format.of("<zone>", "a time zone, such as UTC or Europe/Zurich", ZoneId::of, ZoneId::getId);

    /** The URL of a webhook lets whoever has it write to the channel. */
    public static final Format<URI> SECRET_URL = new Format<>(
            "<url>", "a URL that begins with https:// or http://", true, Formats::parseUrl, url -> "(secret)");

    public static final Format<Long> THRESHOLD = Format.of(
            "<number|off>",
            "a whole number of 0 or more, or off",
            text -> text.equals("off") ? AlertRules.OFF : requireNotNegative(Long.parseLong(text)),
            number -> number == AlertRules.OFF ? "off" : String.valueOf(number));

    public static final Format<Boolean> YES_OR_NO = Format.of(
            "<true|false>",
            "true or false",
            text -> require(text, text.matches("true|false")).equals("true"),
            String::valueOf);

    public static final Format<Split> SPLIT = Format.of(
            "<i/n>",
            "i/n with i from 0 to n - 1, such as 0/3",
            Formats::parseSplit,
            split -> split.index() + "/" + split.of());

    public static final Format<List<String>> TOPIC_NAMES = Format.of(
            "<name,..>",
            "names of letters, digits, dots, underscores or hyphens, separated by commas",
            Formats::parseNames,
            names -> String.join(",", names));

    /** In the file such a setting is a mapping; elsewhere its entries are separated by commas. */
    public static final Format<Map<String, String>> PAIRS = new Format<>(
            "<name=value,..>",
            "name=value, or several of them separated by commas",
            true,
            Formats::parsePairs,
            pairs -> String.join(",", pairs.keySet()));

    private Formats() {}

    public static Format<Long> wholeNumber(long min, long max) {
        String allowed =
                "a whole number " + (max == Long.MAX_VALUE ? "of " + min + " or more" : "from " + min + " to " + max);
        return Format.of(
                "<number>",
                allowed,
                text -> {
                    long number = Long.parseLong(text);
                    require(text, number >= min && number <= max);
                    return number;
                },
                String::valueOf);
    }

    static Format<Double> number(double min, double max) {
        return Format.of(
                "<number>",
                "a number from " + printNumber(min) + " to " + printNumber(max),
                text -> {
                    double number = Double.parseDouble(text);
                    require(text, number >= min && number <= max);
                    return number;
                },
                Formats::printNumber);
    }

    private static String printNumber(double number) {
        return number == Math.rint(number) ? String.valueOf((long) number) : String.valueOf(number);
    }

    public static <E extends Enum<E>> Format<E> oneOf(Class<E> type) {
        return oneOf(List.of(type.getEnumConstants()), Formats::nameOf);
    }

    /** Of things that have names. */
    static <T> Format<T> oneOf(List<T> values, Function<T, String> name) {
        Map<String, T> byName =
                values.stream().collect(Collectors.toMap(name, Function.identity(), (a, b) -> a, TreeMap::new));
        return Format.of(
                "<" + String.join("|", byName.keySet()) + ">",
                String.join(" or ", byName.keySet()),
                text -> {
                    T value = byName.get(text);
                    if (value == null) {
                        throw new IllegalArgumentException(text);
                    }
                    return value;
                },
                name);
    }

    private static String nameOf(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Duration parseDuration(String text) {
        Matcher matcher = DURATION_TEXT.matcher(text);
        require(text, matcher.matches());
        Duration unit = UNITS.stream()
                .filter(candidate -> candidate.getKey().equals(matcher.group(2)))
                .findFirst()
                .orElseThrow()
                .getValue();
        return unit.multipliedBy(Long.parseLong(matcher.group(1)));
    }

    static String printDuration(Duration duration) {
        for (Map.Entry<String, Duration> unit : UNITS) {
            long length = unit.getValue().toMillis();
            if (duration.toMillis() >= length && duration.toMillis() % length == 0) {
                return duration.toMillis() / length + unit.getKey();
            }
        }
        return duration.toMillis() + "ms";
    }

    private static URI parseUrl(String text) {
        URI url = URI.create(text);
        require(text, text.matches("https?://.+") && url.getHost() != null);
        return url;
    }

    private static long requireNotNegative(long number) {
        require(String.valueOf(number), number >= 0);
        return number;
    }

    private static Split parseSplit(String text) {
        Matcher matcher = SPLIT_TEXT.matcher(text);
        require(text, matcher.matches());
        return new Split(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
    }

    private static Map<String, String> parsePairs(String text) {
        Map<String, String> pairs = new LinkedHashMap<>();
        for (String pair : text.split(",")) {
            int equals = pair.indexOf('=');
            require(text, equals > 0);
            pairs.put(
                    pair.substring(0, equals).strip(),
                    pair.substring(equals + 1).strip());
        }
        return Map.copyOf(pairs);
    }

    private static List<String> parseNames(String text) {
        List<String> names = Arrays.stream(text.split(",")).map(String::strip).toList();
        names.forEach(name -> require(name, name.matches("[A-Za-z0-9._-]{1,249}")));
        return names;
    }

    private static String require(String text, boolean holds) {
        if (!holds) {
            throw new IllegalArgumentException(text);
        }
        return text;
    }
}
