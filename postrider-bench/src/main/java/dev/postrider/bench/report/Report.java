package dev.postrider.bench.report;

import dev.postrider.bench.BenchException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** What the benchmark found, ready to be shown. */
public final class Report {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private final Figures figures;
    private final Circumstances circumstances;
    private final Map<String, Ratios.Ratio> ratios;
    private final Map<String, String> scenarios;

    /**
     * @param scenarios what was measured: names and descriptions
     */
    public Report(Figures figures, Circumstances circumstances, Map<String, String> scenarios) {
        this.figures = figures;
        this.circumstances = circumstances;
        this.ratios = Ratios.of(figures);
        this.scenarios = Map.copyOf(scenarios);
    }

    /** For scripts. */
    public String json() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("circumstances", circumstances.facts());
        Map<String, Double> medians = new LinkedHashMap<>();
        List<Object> targets = new ArrayList<>();
        ratios.forEach((name, ratio) -> {
            medians.put(name, rounded(ratio.figure().median()));
            Map<String, Object> target = new LinkedHashMap<>();
            target.put("name", name);
            target.put("what", ratio.what());
            target.put(ratio.atLeast() ? "at_least" : "at_most", rounded(ratio.target()));
            target.put("measured", rounded(ratio.figure().median()));
            target.put("from", rounded(ratio.figure().min()));
            target.put("to", rounded(ratio.figure().max()));
            target.put("met", ratio.isMet());
            targets.add(target);
        });
        document.put("ratios", medians);
        document.put("targets", targets);
        document.put("figures", figures.all().stream().map(Report::asMap).toList());
        document.put("settings", figures.settings());
        document.put("failures", figures.failures());
        return JSON.writeValueAsString(document);
    }

    private static Map<String, Object> asMap(Figure figure) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("scenario", figure.scenario());
        map.put("variant", figure.variant());
        map.put("contender", figure.contender());
        map.put("metric", figure.metric());
        map.put("median", rounded(figure.median()));
        List<Double> runs = new ArrayList<>();
        for (double run : figure.runs()) {
            runs.add(rounded(run));
        }
        map.put("runs", runs);
        return map;
    }

    /** Four digits that mean something. */
    private static double rounded(double value) {
        return value == 0 || !Double.isFinite(value)
                ? 0
                : new java.math.BigDecimal(value)
                        .round(new java.math.MathContext(4))
                        .doubleValue();
    }

    /** For people at a terminal. */
    public String text() {
        return new MarkdownReport(figures, circumstances, ratios, scenarios).text();
    }

    /** Writes report.json, report.md and the plots. */
    public void write(Path directory) {
        try {
            Files.createDirectories(directory);
            Files.writeString(directory.resolve("report.json"), json() + "\n");
            List<Plots.Plot> plots = Plots.of(figures);
            for (Plots.Plot plot : plots) {
                plot.write(directory);
            }
            Files.writeString(
                    directory.resolve("report.md"),
                    new MarkdownReport(figures, circumstances, ratios, scenarios).page(plots));
        } catch (IOException e) {
            throw new BenchException("The report cannot be written to " + directory + ": " + e.getMessage(), e);
        }
    }

    /** Whether something that should have been measured was not. */
    public boolean isComplete() {
        return figures.failures().isEmpty();
    }
}
