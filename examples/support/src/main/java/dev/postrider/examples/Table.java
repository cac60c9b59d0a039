package dev.postrider.examples;

import java.util.ArrayList;
import java.util.List;

/**
 * A small table for the {@link Screen}: a head and rows, as many cells each; cells beginning with a digit stand at the
 * right.
 */
public final class Table {
    private final List<List<String>> rows = new ArrayList<>();

    public Table(String... head) {
        rows.add(List.of(head));
    }

    public Table row(Object... cells) {
        List<String> row = new ArrayList<>();
        for (Object cell : cells) {
            row.add(String.valueOf(cell));
        }
        if (row.size() != rows.get(0).size()) {
            throw new IllegalArgumentException(
                    row.size() + " cells under a head of " + rows.get(0).size());
        }
        rows.add(row);
        return this;
    }

    List<String> lines() {
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder("  ");
            for (int i = 0; i < columns; i++) {
                String cell = row.get(i);
                String padding = " ".repeat(widths[i] - cell.length());
                boolean number = !cell.isEmpty() && Character.isDigit(cell.charAt(0));
                line.append(number ? padding + cell : cell + padding).append("   ");
            }
            lines.add(line.toString().stripTrailing());
        }
        lines.add(
                1,
                "  "
                        + "-"
                                .repeat(Math.max(
                                        1,
                                        lines.stream()
                                                        .mapToInt(String::length)
                                                        .max()
                                                        .orElse(2)
                                                - 2)));
        return lines;
    }
}
