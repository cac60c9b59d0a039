package dev.postrider.examples.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The rows of {@code docs/systems.md}: {@code | id | what | where | tests |}. In the third cell there are links to files of
 * the example, and words in backticks that must be in one of these files; in the fourth the tests in backticks.
 */
record SystemsPage(Path file, Map<String, Row> rows) {
    private static final Pattern ID = Pattern.compile("[TCODL][0-9]+");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#]+)(#[^)]*)?\\)");

    record Row(String where, TreeSet<String> tests) {}

    static SystemsPage read(Path file) throws IOException {
        Map<String, Row> rows = new LinkedHashMap<>();
        for (String line : Files.readAllLines(file)) {
            String[] cells = line.split("(?<!\\\\)\\|");
            if (cells.length == 5 && ID.matcher(cells[1].strip()).matches()) {
                Row row = new Row(cells[3], new TreeSet<>(all(CODE, cells[4])));
                if (rows.put(cells[1].strip(), row) != null) {
                    throw new AssertionError(file + " has two rows for " + cells[1].strip());
                }
            }
        }
        return new SystemsPage(file, rows);
    }

    /** What is wrong with the third cell. */
    List<String> problemsWithPlace(String id, Row row) throws IOException {
        List<String> problems = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        List<String> links = all(LINK, row.where());
        if (links.isEmpty()) {
            problems.add(id + " links to no file that configures it");
        }
        for (String link : links) {
            Path linked = file.resolveSibling(link).normalize();
            if (Files.isRegularFile(linked)) {
                text.append(Files.readString(linked)).append('\n');
            } else {
                problems.add(id + " links to " + link + ", which is not there");
            }
        }
        for (String word : all(CODE, row.where())) {
            if (text.indexOf(word) < 0) {
                problems.add(id + " says `" + word + "`, which is in none of its files");
            }
        }
        return problems;
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList();
    }
}
