package dev.postrider.internal.store.jdbc;

import java.util.List;
import java.util.regex.Pattern;

/** Takes Postrider's own scripts apart: comments begin with two hyphens, and nothing in quotes has hyphens or semicolons. */
final class SqlScript {
    private static final Pattern COMMENT = Pattern.compile("--[^\n]*");
    private static final Pattern END = Pattern.compile(";");

    private SqlScript() {}

    /** In order, without comments and semicolons. */
    static List<String> statements(String script) {
        return END.splitAsStream(COMMENT.matcher(script).replaceAll(""))
                .map(String::strip)
                .filter(statement -> !statement.isEmpty())
                .toList();
    }
}
