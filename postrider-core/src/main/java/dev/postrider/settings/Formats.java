package dev.postrider.settings;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The usual formats. */
public final class Formats {
    private static final Pattern DURATION_TEXT = Pattern.compile("(\\d{1,9})\\s*(ms|s|m|h|d)");

    /** From the largest, so that a duration is printed in the largest unit that divides it. */
    private static final List<Map.Entry<String, Duration>> UNITS = List.of(
            Map.entry("d", Duration.ofDays(1)),
            Map.entry("h", Duration.ofHours(1)),
            Map.entry("m", Duration.ofMinutes(1)),
            Map.entry("s", Duration.ofSeconds(1)),
            Map.entry("ms", Duration.ofMillis(1)));

    public static final Format<String> TEXT = Format.of(
                    String.class, "<text>", "some text", Function.<String>identity(), Function.<String>identity())
            .within(text -> !text.isBlank(), "some text");

    public static final Format<Path> FILE =
            Format.of(Path.class, "<file>", "the path of a file", Path::of, Path::toString);

    /** 0 or longer. */
    public static final Format<Duration> DURATION = Format.of(
                    Duration.class, "<duration>", "a duration", Formats::parseDuration, Formats::printDuration)
            .within(duration -> !duration.isNegative(), "a duration such as 200ms, 5s, 10m or 1h");

    public static final Format<Duration> POSITIVE_DURATION =
            DURATION.within(duration -> !duration.isZero(), "a positive duration such as 200ms, 5s, 10m or 1h");

    public static final Format<LocalTime> TIME_OF_DAY =
            Format.of(LocalTime.class, "<hh:mm>", "a time of day such as 02:00", LocalTime::parse, LocalTime::toString);

    public static final Format<ZoneId> ZONE =
            Format.of(ZoneId.class, "<zone>", "a time zone such as UTC or Europe/Zurich", ZoneId::of, ZoneId::getId);

    public static final Format<Boolean> YES_OR_NO =
            Format.of(Boolean.class, "<true|false>", "true or false", Formats::parseBoolean, String::valueOf);

    /** The URL of a webhook lets whoever has it write to the channel. */
    public static final Format<URI> SECRET_URL = Format.of(
                    URI.class, "<url>", "a URL that begins with https:// or http://", Formats::parseUrl, URI::toString)
            .secret();

    private Formats() {}

    public static Format<Duration> durationOfAtLeast(Duration shortest) {
        return DURATION.within(
                duration -> duration.compareTo(shortest) >= 0,
                "a duration of at least " + printDuration(shortest) + ", in ms, s, m, h or d");
    }

    public static Format<Duration> durationBetween(Duration shortest, Duration longest) {
        return DURATION.within(
                duration -> duration.compareTo(shortest) >= 0 && duration.compareTo(longest) <= 0,
                "a duration from " + printDuration(shortest) + " to " + printDuration(longest));
    }

    /**
     * @param max {@code Integer.MAX_VALUE} means no limit
     */
    public static Format<Integer> wholeNumber(int min, int max) {
        String allowed = max == Integer.MAX_VALUE ? "of " + min + " or more" : "from " + min + " to " + max;
        return Format.of(Integer.class, "<number>", "a whole number", Integer::valueOf, String::valueOf)
                .within(number -> number >= min && number <= max, "a whole number " + allowed);
    }

    public static Format<Long> wholeNumberOfAtLeast(long min) {
        return Format.of(Long.class, "<number>", "a whole number", Long::valueOf, String::valueOf)
                .within(number -> number >= min, "a whole number of " + min + " or more");
    }

    public static Format<Double> number(double min, double max) {
        return Format.of(Double.class, "<number>", "a number", Double::valueOf, Formats::printNumber)
                .within(
                        number -> number >= min && number <= max,
                        "a number from " + printNumber(min) + " to " + printNumber(max));
    }

    public static <E extends Enum<E>> Format<E> oneOf(Class<E> type) {
        return oneOf(type, List.of(type.getEnumConstants()), Formats::nameOf);
    }

    /** One of several values that have names. */
    public static <T> Format<T> oneOf(Class<T> type, List<T> values, Function<T, String> name) {
        Map<String, T> byName =
                values.stream().collect(Collectors.toMap(name, Function.identity(), (a, b) -> a, TreeMap::new));
        return Format.of(
                type,
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
        if (!matcher.matches()) {
            throw new IllegalArgumentException(text);
        }
        Duration unit = UNITS.stream()
                .filter(candidate -> candidate.getKey().equals(matcher.group(2)))
                .findFirst()
                .orElseThrow()
                .getValue();
        return unit.multipliedBy(Long.parseLong(matcher.group(1)));
    }

    private static String printDuration(Duration duration) {
        for (Map.Entry<String, Duration> unit : UNITS) {
            long length = unit.getValue().toMillis();
            if (!duration.isZero() && duration.toMillis() % length == 0) {
                return duration.toMillis() / length + unit.getKey();
            }
        }
        return duration.toMillis() + "ms";
    }

    private static String printNumber(double number) {
        return number == Math.rint(number) ? String.valueOf((long) number) : String.valueOf(number);
    }

    private static boolean parseBoolean(String text) {
        if (!text.matches("true|false")) {
            throw new IllegalArgumentException(text);
        }
        return text.equals("true");
    }

    private static URI parseUrl(String text) {
        URI url = URI.create(text);
        if (!text.matches("https?://.+") || url.getHost() == null) {
            throw new IllegalArgumentException();
        }
        return url;
    }
}
