package dev.postrider.internal.store.jdbc;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tables, columns and indexes an outbox should have, read from the migrations themselves: what is said
 * about a missing one cannot drift away from what creates it. Understands SQL as far as it stands there.
 *
 * @param tables in the order of their creation
 * @param indexes all but those of primary keys
 */
public record ExpectedSchema(List<Table> tables, List<Index> indexes) {
    private static final Pattern CREATE_TABLE = Pattern.compile("create table (\\S+) \\((.*)\\)[^)]*");
    private static final Pattern CREATE_TABLE_WITH = Pattern.compile("create table (\\S+) \\((.*)\\) with \\(.*\\)");
    private static final Pattern ADD_COLUMN = Pattern.compile("alter table (\\S+) add column (.*)");
    private static final Pattern COLUMN = Pattern.compile("(\\w+) (\\w+(?:\\(\\d+\\))?).*");
    private static final Pattern CREATE_INDEX = Pattern.compile("create (unique )?index (\\w+) on (\\S+) (.*)");
    private static final Pattern TABLE_KEY = Pattern.compile("primary key \\((.*)\\)");

    private static final Set<String> NO_COLUMN = Set.of("constraint", "primary", "unique", "check", "foreign");

    /**
     * @param sql its quoted name
     * @param primaryKey its columns, separated by commas
     */
    public record Table(String sql, String primaryKey, List<Column> columns) {}

    /**
     * @param type as the script says it
     */
    public record Column(String name, String type) {}

    /**
     * @param table quoted name of its table
     * @param statement creates it without keeping writers waiting
     */
    public record Index(String name, String table, String statement) {}

    public static ExpectedSchema parse(Database database, String script) {
        Map<String, Table> tables = new LinkedHashMap<>();
        List<Index> indexes = new ArrayList<>();
        for (String statement : statements(script)) {
            Matcher create = CREATE_TABLE_WITH.matcher(statement);
            if (!create.matches()) {
                create = CREATE_TABLE.matcher(statement);
            }
            Matcher add = ADD_COLUMN.matcher(statement);
            Matcher index = CREATE_INDEX.matcher(statement);
            if (create.matches()) {
                tables.put(create.group(1), table(create.group(1), create.group(2)));
            } else if (add.matches()) {
                tables.computeIfPresent(add.group(1), (name, table) -> withColumn(table, column(add.group(2))));
            } else if (index.matches()) {
                indexes.add(new Index(index.group(2), index.group(3), database.createIndex(statement)));
            }
        }
        return new ExpectedSchema(List.copyOf(tables.values()), List.copyOf(indexes));
    }

    /** Each on one line. */
    private static List<String> statements(String script) {
        return SqlScript.statements(script).stream()
                .map(statement -> statement.replaceAll("\\s+", " "))
                .toList();
    }

    private static Table table(String name, String body) {
        List<Column> columns = new ArrayList<>();
        String primaryKey = "";
        for (String part : splitOutsideParentheses(body)) {
            String first = part.split(" ", 2)[0].toLowerCase(Locale.ROOT);
            Matcher key = TABLE_KEY.matcher(part);
            if (NO_COLUMN.contains(first)) {
                primaryKey = key.matches() ? key.group(1) : primaryKey;
            } else {
                columns.add(column(part));
                primaryKey = part.contains("primary key") ? first : primaryKey;
            }
        }
        return new Table(name, primaryKey, List.copyOf(columns));
    }

    private static List<String> splitOutsideParentheses(String body) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int begin = 0;
        for (int i = 0; i < body.length(); i++) {
            char c = body.charAt(i);
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (c == ',' && depth == 0) {
                parts.add(body.substring(begin, i).strip());
                begin = i + 1;
            }
        }
        parts.add(body.substring(begin).strip());
        return parts;
    }

    private static Column column(String definition) {
        Matcher column = COLUMN.matcher(definition);
        if (!column.matches()) {
            throw new IllegalStateException("no name and type of a column: " + definition);
        }
        return new Column(column.group(1), column.group(2));
    }

    private static Table withColumn(Table table, Column column) {
        List<Column> columns = new ArrayList<>(table.columns());
        columns.add(column);
        return new Table(table.sql(), table.primaryKey(), List.copyOf(columns));
    }
}
