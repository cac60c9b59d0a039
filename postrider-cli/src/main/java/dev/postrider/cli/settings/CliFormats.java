package dev.postrider.cli.settings;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.settings.Format;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.postgresql.Driver;

/** The formats that only the command line has. */
public final class CliFormats {
    private static final Pattern SERVERS_TEXT = Pattern.compile(
            "([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+]):(\\d{1,5})(,\\s*([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+]):\\d{1,5})*");

    public static final Format<String> PREFIX = text("<text>", "letters, digits, dots, underscores or hyphens")
            .within(text -> text.matches("[A-Za-z0-9._-]*"), "letters, digits, dots, underscores or hyphens");

    public static final Format<String> SECRET = text("<secret>", "some text").secret();

    public static final Format<String> JDBC_URL = text("<url>", "a JDBC URL")
            .within(
                    CliFormats::isJdbcUrl,
                    "a JDBC URL of PostgreSQL, MariaDB or MySQL, such as jdbc:postgresql://localhost:5432/app");

    public static final Format<OutboxTable> TABLE = Format.of(
            OutboxTable.class,
            "<table>",
            "table or schema.table, of lower-case letters, digits and underscores",
            OutboxTable::parse,
            OutboxTable::toString);

    public static final Format<String> SERVERS = text("<host:port,..>", "host:port")
            .within(text -> SERVERS_TEXT.matcher(text).matches(), "host:port, or several of them separated by commas");

    public static final Format<String> TOPIC = text("<topic>", "1 to 249 letters, digits, dots, underscores or hyphens")
            .within(
                    text -> text.matches("[A-Za-z0-9._-]{1,249}"),
                    "1 to 249 letters, digits, dots, underscores or hyphens");

    public static final Format<List<String>> TOPIC_NAMES = Format.of(
            List.class,
            "<name,..>",
            "names of letters, digits, dots, underscores or hyphens, separated by commas",
            CliFormats::parseNames,
            names -> String.join(",", names));

    /** In the file such an option is a mapping; elsewhere its entries are separated by commas. */
    public static final Format<Map<String, String>> PAIRS = Format.of(
            Map.class,
            "<name=value,..>",
            "name=value, or several of them separated by commas",
            CliFormats::parsePairs,
            CliFormats::printPairs);

    /** Whose values may be secret. */
    public static final Format<Map<String, String>> SECRET_PAIRS = PAIRS.secret();

    private CliFormats() {}

    private static Format<String> text(String label, String allowed) {
        return Format.of(String.class, label, allowed, Function.<String>identity(), Function.<String>identity());
    }

    /** By its name, and without the rest of the URL, which may hold a password. */
    static void requireKnownDatabase(String url, String origin) {
        try {
            if (url.startsWith("jdbc:")) {
                DatabaseFamily.ofUrl(url);
            }
        } catch (PostriderException e) {
            throw new UsageException(origin + ": " + e.getMessage());
        }
    }

    private static boolean isJdbcUrl(String text) {
        return text.matches("jdbc:(mariadb|mysql):(.+:)?//.+/.+") || Driver.parseURL(text, null) != null;
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

    private static String printPairs(Map<String, String> pairs) {
        return new TreeMap<>(pairs)
                .entrySet().stream()
                        .map(pair -> pair.getKey() + "=" + pair.getValue())
                        .collect(Collectors.joining(","));
    }

    private static List<String> parseNames(String text) {
        List<String> names = Arrays.stream(text.split(",")).map(String::strip).toList();
        names.forEach(name -> require(name, name.matches("[A-Za-z0-9._-]{1,249}")));
        return names;
    }

    private static void require(String text, boolean holds) {
        if (!holds) {
            throw new IllegalArgumentException(text);
        }
    }
}
