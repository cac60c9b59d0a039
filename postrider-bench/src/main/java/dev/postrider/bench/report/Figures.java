package dev.postrider.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Everything that was measured, in the order in which it was first measured. One thread. */
public final class Figures {
    private record Name(String scenario, String variant, String contender, String metric) {}

    private final Map<Name, List<Double>> values = new LinkedHashMap<>();
    private final Map<String, List<String>> settings = new LinkedHashMap<>();
    private final List<String> failures = new ArrayList<>();
    private final List<String> log = new ArrayList<>();

    public void add(String scenario, String variant, String contender, String metric, double value) {
        values.computeIfAbsent(new Name(scenario, variant, contender, metric), name -> new ArrayList<>())
                .add(value);
        log.add(String.format(Locale.ROOT, value < 100 ? "%.2f %s" : "%.0f %s", value, metric));
    }

    /** What was measured so far, one after the other. */
    public List<String> log() {
        return List.copyOf(log);
    }

    /** What a contender said it was set to. */
    public void settings(String contender, List<String> lines) {
        settings.putIfAbsent(contender, List.copyOf(lines));
    }

    /** Something that could not be measured, and why. */
    public void failed(String what) {
        failures.add(what);
    }

    public List<Figure> all() {
        return values.entrySet().stream()
                .map(entry -> figure(entry.getKey(), entry.getValue()))
                .toList();
    }

    public List<Figure> of(String scenario, String metric) {
        return all().stream()
                .filter(figure ->
                        figure.scenario().equals(scenario) && figure.metric().equals(metric))
                .toList();
    }

    public Optional<Figure> find(String scenario, String variant, String contender, String metric) {
        Name name = new Name(scenario, variant, contender, metric);
        return Optional.ofNullable(values.get(name)).map(runs -> figure(name, runs));
    }

    private static Figure figure(Name name, List<Double> runs) {
        return new Figure(
                name.scenario,
                name.variant,
                name.contender,
                name.metric,
                runs.stream().mapToDouble(Double::doubleValue).toArray());
    }

    Map<String, List<String>> settings() {
        return settings;
    }

    List<String> failures() {
        return failures;
    }
}
