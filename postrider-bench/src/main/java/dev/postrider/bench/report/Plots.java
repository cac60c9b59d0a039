package dev.postrider.bench.report;

import dev.postrider.bench.contender.ContenderName;
import java.awt.Color;
import java.awt.Font;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;

/** Pictures of the figures, as PNG. */
final class Plots {
    private Plots() {}

    /**
     * @param file its name in the report's directory
     */
    record Plot(String title, String file, CategoryChart chart) {
        void write(Path directory) throws IOException {
            BitmapEncoder.saveBitmap(chart, directory.resolve(file).toString(), BitmapFormat.PNG);
        }
    }

    static List<Plot> of(Figures figures) {
        List<Plot> plots = new ArrayList<>();
        List<Figure> drain = figures.of("drain", "events/s");
        if (!drain.isEmpty()) {
            plots.add(bars("Drain a backlog, events/s (logarithmic)", "drain.png", drain, true));
        }
        List<Figure> latency = figures.of("latency", "p50 ms").stream()
                .filter(figure -> figure.variant().startsWith("200/s"))
                .toList();
        if (!latency.isEmpty()) {
            plots.add(latency(figures, latency));
        }
        List<Figure> write = figures.of("write", "with ÷ without").stream()
                .filter(figure -> !figure.contender().equals(ContenderName.EMPTY.label()))
                .toList();
        if (!write.isEmpty()) {
            plots.add(bars("Transactions/s with an event ÷ without", "write.png", write, false));
        }
        List<Figure> growth = figures.of("growth", "events/s");
        if (!growth.isEmpty()) {
            plots.add(growth(growth));
        }
        return plots;
    }

    private static Plot bars(String title, String file, List<Figure> figures, boolean logarithmic) {
        List<Figure> sorted = figures.stream()
                .sorted(Comparator.comparingDouble(Figure::median).reversed())
                .toList();
        CategoryChart chart = chart(title);
        if (logarithmic) {
            logarithmic(chart, sorted);
        }
        chart.getStyler().setLegendVisible(false);
        chart.addSeries(
                "median",
                sorted.stream().map(Figure::contender).toList(),
                sorted.stream().map(Figure::median).toList());
        return new Plot(title, file, chart);
    }

    private static String where(String variant) {
        return variant.endsWith("wake-up wal") ? " ⇄ wal" : variant.endsWith("another process") ? " ⇄" : "";
    }

    private static Plot latency(Figures figures, List<Figure> p50) {
        String title = "Commit → consumer at 200 events/s, ms (logarithmic)";
        List<Figure> sorted =
                p50.stream().sorted(Comparator.comparingDouble(Figure::median)).toList();
        List<String> names = sorted.stream()
                .map(figure -> figure.contender() + where(figure.variant()))
                .toList();
        CategoryChart chart = chart(title + "; ⇄ = relay in another process, ⇄ wal = woken by the replication stream");
        logarithmic(chart, sorted);
        chart.addSeries("p50", names, sorted.stream().map(Figure::median).toList());
        chart.addSeries(
                "p99",
                names,
                sorted.stream()
                        .map(figure -> figures.find(figure.scenario(), figure.variant(), figure.contender(), "p99 ms")
                                .map(Figure::median)
                                .orElse(0.0))
                        .toList());
        return new Plot(title, "latency.png", chart);
    }

    private static Plot growth(List<Figure> growth) {
        String title = "Drain rate when there is more of something, events/s";
        Set<String> variants = new LinkedHashSet<>();
        Set<String> contenders = new LinkedHashSet<>();
        growth.forEach(figure -> {
            variants.add(figure.variant());
            contenders.add(figure.contender());
        });
        CategoryChart chart = chart(title);
        for (String contender : contenders) {
            List<Double> rates = new ArrayList<>();
            for (String variant : variants) {
                rates.add(growth.stream()
                        .filter(figure -> figure.contender().equals(contender)
                                && figure.variant().equals(variant))
                        .map(Figure::median)
                        .findAny()
                        .orElse(0.0));
            }
            chart.addSeries(contender, new ArrayList<>(variants), rates);
        }
        return new Plot(title, "growth.png", chart);
    }

    /** From the power of ten below the smallest value on. */
    private static void logarithmic(CategoryChart chart, List<Figure> figures) {
        double least = figures.stream().mapToDouble(Figure::median).min().orElse(1);
        chart.getStyler().setYAxisLogarithmic(true);
        chart.getStyler().setYAxisMin(Math.pow(10, Math.floor(Math.log10(Math.max(least, 1e-3)))));
    }

    private static CategoryChart chart(String title) {
        CategoryChart chart =
                new CategoryChartBuilder().width(900).height(420).title(title).build();
        chart.getStyler()
                .setChartTitleFont(new Font(Font.SANS_SERIF, Font.BOLD, 15))
                .setChartBackgroundColor(Color.WHITE)
                .setPlotBorderVisible(false)
                .setDecimalPattern("#,##0.##")
                .setLegendPosition(LegendPosition.OutsideS);
        chart.getStyler().setAvailableSpaceFill(0.7).setLabelsVisible(true).setXAxisLabelRotation(30);
        return chart;
    }
}
