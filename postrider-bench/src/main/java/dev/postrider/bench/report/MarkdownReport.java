package dev.postrider.bench.report;

import dev.postrider.bench.contender.ContenderName;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Tables for people. */
final class MarkdownReport {
    private final Figures figures;
    private final Circumstances circumstances;
    private final Map<String, Ratios.Ratio> ratios;
    private final Map<String, String> scenarios;
    private final StringBuilder page = new StringBuilder();

    MarkdownReport(
            Figures figures,
            Circumstances circumstances,
            Map<String, Ratios.Ratio> ratios,
            Map<String, String> scenarios) {
        this.figures = figures;
        this.circumstances = circumstances;
        this.ratios = ratios;
        this.scenarios = scenarios;
    }

    /** Without pictures. */
    String text() {
        ratios();
        figures();
        failures();
        return page.toString();
    }

    String page(List<Plots.Plot> plots) {
        line("# Report");
        line("");
        line(
                "Made by `postrider bench`. What the scenarios are, how they are measured, and what was learned from them:");
        line("[README](README.md). Figures of different runs cannot be compared; ratios can.");
        line("");
        circumstances();
        ratios();
        for (Plots.Plot plot : plots) {
            line("![" + plot.title() + "](" + plot.file() + ")");
            line("");
        }
        figures();
        settings();
        failures();
        return page.toString();
    }

    private void circumstances() {
        line("| | |");
        line("|---|---|");
        circumstances.facts().forEach((name, value) -> line("| " + name + " | " + value + " |"));
        line("");
    }

    private void ratios() {
        if (ratios.isEmpty()) {
            return;
        }
        line("## Targets");
        line("");
        line("| what | target | measured | from – to | |");
        line("|---|---|---|---|---|");
        ratios.forEach((name, ratio) -> line("| " + ratio.what() + " | " + (ratio.atLeast() ? "≥ " : "≤ ")
                + number(ratio.target()) + " | " + number(ratio.figure().median()) + " | "
                + number(ratio.figure().min()) + " – " + number(ratio.figure().max()) + " | "
                + (ratio.isMet() ? "met" : "**open**") + " |"));
        line("");
    }

    private void figures() {
        Set<String> names = new LinkedHashSet<>();
        figures.all().forEach(figure -> names.add(figure.scenario()));
        for (String scenario : names) {
            line("## " + scenario);
            line("");
            if (scenarios.containsKey(scenario)) {
                line(scenarios.get(scenario));
                line("");
            }
            table(scenario);
        }
    }

    /** A row for each contender and variant, a column for each metric. */
    private void table(String scenario) {
        List<Figure> own = figures.all().stream()
                .filter(figure -> figure.scenario().equals(scenario))
                .toList();
        Set<String> metrics = new LinkedHashSet<>();
        Set<List<String>> rows = new LinkedHashSet<>();
        own.forEach(figure -> {
            metrics.add(figure.metric());
            rows.add(List.of(figure.variant(), figure.contender()));
        });
        line("| | | " + String.join(" | ", metrics) + " |");
        line("|---|---" + "|---:".repeat(metrics.size()) + "|");
        for (List<String> row : rows) {
            List<String> cells = new ArrayList<>();
            cells.add(title(row.get(1)));
            cells.add(row.get(0));
            for (String metric : metrics) {
                cells.add(figures.find(scenario, row.get(0), row.get(1), metric)
                        .map(MarkdownReport::cell)
                        .orElse(""));
            }
            line("| " + String.join(" | ", cells) + " |");
        }
        line("");
    }

    private static String title(String contender) {
        return ContenderName.find(contender).map(ContenderName::title).orElse(contender);
    }

    private static String cell(Figure figure) {
        return figure.runs().length == 1 || figure.min() == figure.max()
                ? number(figure.median())
                : number(figure.median()) + " (" + number(figure.min()) + " – " + number(figure.max()) + ")";
    }

    private void settings() {
        if (figures.settings().isEmpty()) {
            return;
        }
        line("## What each was set to");
        line("");
        figures.settings()
                .forEach((contender, lines) -> line("- **" + title(contender) + "**: " + String.join("; ", lines)));
        line("");
    }

    private void failures() {
        if (figures.failures().isEmpty()) {
            return;
        }
        line("## Not measured");
        line("");
        figures.failures().forEach(failure -> line("- " + failure));
        line("");
    }

    static String number(double value) {
        double size = Math.abs(value);
        if (size >= 100) {
            return String.format(Locale.ROOT, "%,.0f", value).replace(',', '\u202f');
        }
        return String.format(Locale.ROOT, size >= 10 ? "%.1f" : "%.2f", value);
    }

    private void line(String text) {
        page.append(text).append('\n');
    }
}
