package dev.postrider.cli.command;

import java.util.ArrayList;
import java.util.List;

/** Rows under a heading, aligned; a heading that begins with {@code >} has its column on the right. */
public final class TextTable {
    private final String[] headings;
    private final List<String[]> rows = new ArrayList<>();

    public TextTable(String... headings) {
        this.headings = headings;
        rows.add(List.of(headings).stream()
                .map(heading -> heading.replaceFirst("^>", ""))
                .toArray(String[]::new));
    }

    public TextTable row(String... cells) {
        rows.add(cells);
        return this;
    }

    @Override
    public String toString() {
        return text(Colours.none());
    }

    /** With headings that stand out. */
    public String text(Colours colours) {
        StringBuilder text = new StringBuilder();
        boolean heading = true;
        for (String[] row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.length; column++) {
                line.append("  ").append(aligned(row[column], column));
            }
            String stripped = line.toString().stripTrailing();
            text.append(heading ? colours.bold(stripped) : stripped).append(System.lineSeparator());
            heading = false;
        }
        return text.toString();
    }

    private String aligned(String cell, int column) {
        int width = rows.stream().mapToInt(row -> length(row[column])).max().orElse(0);
        String padding = " ".repeat(width - length(cell));
        return headings[column].startsWith(">") ? padding + cell : cell + padding;
    }

    /** Without what a terminal takes for a colour. */
    private static int length(String cell) {
        return cell.replaceAll("\u001b\\[[0-9;]*m", "").length();
    }
}
