package dev.postrider.tests.campaign;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.json.JsonMapper;

/** What a campaign did and found, for people and for programs, below {@code target}. */
final class CampaignReport {
    /** A kind that struck less often with events in flight has proved little. */
    private static final int ENOUGH = 10;

    private static final int EXAMPLES = 5;

    private final long seed;
    private final String commit = commit();
    private final Map<Configuration, Findings> all = new EnumMap<>(Configuration.class);

    CampaignReport(long seed) {
        this.seed = seed;
    }

    /** How often a kind struck. */
    private static final class Strikes {
        int all;
        int inFlight;
    }

    /** Of one configuration. */
    static final class Findings {
        private final Map<FaultKind, Strikes> strikes = new EnumMap<>(FaultKind.class);
        private final Map<String, Long> numbers = new LinkedHashMap<>();
        private final List<String> violations = new ArrayList<>();
        private final List<String> details = new ArrayList<>();

        Findings(Set<FaultKind> kinds) {
            kinds.forEach(kind -> strikes.put(kind, new Strikes()));
        }

        synchronized void struck(FaultKind kind, boolean eventsInFlight) {
            Strikes strike = strikes.get(kind);
            strike.all++;
            strike.inFlight += eventsInFlight ? 1 : 0;
        }

        synchronized boolean hasStruck(Set<FaultKind> kinds) {
            return kinds.stream().anyMatch(kind -> strikes.containsKey(kind) && strikes.get(kind).all > 0);
        }

        /** Something to know. */
        synchronized void number(String name, long value) {
            numbers.put(name, value);
        }

        /** Something that must be zero. */
        synchronized void mustBeZero(String name, long value) {
            numbers.put(name, value);
            if (value != 0) {
                violation(name + " " + value);
            }
        }

        /** Something that must be zero under a condition, and otherwise is just to be known. */
        synchronized void numberOrZero(String name, long value, boolean mustBeZero) {
            if (mustBeZero) {
                mustBeZero(name, value);
            } else {
                number(name, value);
            }
        }

        /** The same as {@link #mustBeZero}, with some of the cases. */
        synchronized void mustBeNone(String name, List<String> cases) {
            mustBeZero(name, cases.size());
            cases.stream().limit(EXAMPLES).forEach(this::detail);
        }

        synchronized void violation(String text) {
            violations.add(text);
            System.out.println("VIOLATION " + text);
        }

        /** What helps to understand a violation. */
        synchronized void detail(String text) {
            details.add(text);
            System.out.println("    " + text);
        }

        synchronized List<String> violations() {
            return List.copyOf(violations);
        }
    }

    synchronized Findings begin(Configuration configuration, Set<FaultKind> kinds) {
        Findings findings = new Findings(kinds);
        all.put(configuration, findings);
        return findings;
    }

    synchronized String text() {
        StringBuilder text = new StringBuilder();
        text.append(line("campaign of commit " + commit + ", -Dpostrider.seed=" + seed));
        text.append(line("faults that struck, and of these with events in flight:"));
        text.append(String.format(Locale.ROOT, "  %-18s", ""));
        all.keySet().forEach(each -> text.append(String.format(Locale.ROOT, "%14s", each.label())));
        text.append(line(""));
        for (FaultKind kind : FaultKind.values()) {
            text.append(String.format(Locale.ROOT, "  %-18s", kind.label()));
            all.values().forEach(each -> text.append(String.format(Locale.ROOT, "%14s", cell(each, kind))));
            text.append(line(""));
        }
        all.forEach((configuration, findings) -> {
            text.append(line(configuration.label() + ": " + findings.numbers));
            findings.violations().forEach(violation -> text.append(line("  VIOLATION " + violation)));
            findings.details.forEach(detail -> text.append(line("    " + detail)));
        });
        List<String> few = few();
        text.append(line(
                few.isEmpty()
                        ? "every kind struck at least " + ENOUGH + " times with events in flight"
                        : "struck fewer than " + ENOUGH + " times with events in flight: " + String.join(", ", few)));
        return text.toString();
    }

    private static String cell(Findings findings, FaultKind kind) {
        Strikes strikes = findings.strikes.get(kind);
        return strikes == null ? "off" : strikes.all + "/" + strikes.inFlight;
    }

    private List<String> few() {
        List<String> few = new ArrayList<>();
        all.forEach((configuration, findings) -> findings.strikes.forEach((kind, strikes) -> {
            if (strikes.inFlight < ENOUGH) {
                few.add(kind.label() + " at " + configuration.label());
            }
        }));
        return few;
    }

    private static String line(String text) {
        return text + System.lineSeparator();
    }

    synchronized void write(Path directory) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("commit", commit);
        json.put("seed", seed);
        all.forEach((configuration, findings) -> {
            Map<String, Object> strikes = new LinkedHashMap<>();
            findings.strikes.forEach((kind, count) ->
                    strikes.put(kind.label(), Map.of("struck", count.all, "withEventsInFlight", count.inFlight)));
            json.put(
                    configuration.label(),
                    Map.of("faults", strikes, "numbers", findings.numbers, "violations", findings.violations()));
        });
        try {
            Files.createDirectories(directory);
            Files.writeString(directory.resolve("report.txt"), text());
            Files.writeString(
                    directory.resolve("report.json"), JsonMapper.shared().writeValueAsString(json));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String commit() {
        String hash = git("rev-parse", "HEAD");
        return hash + (git("status", "--porcelain").isEmpty() ? "" : " with uncommitted changes");
    }

    private static String git(String... arguments) {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        try {
            Process git = new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return git.waitFor() == 0 ? output : "unknown";
        } catch (IOException e) {
            return "unknown";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "unknown";
        }
    }
}
