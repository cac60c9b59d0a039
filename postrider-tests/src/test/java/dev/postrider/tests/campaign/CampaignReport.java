package dev.postrider.tests.campaign;

import dev.postrider.tests.campaign.Findings.Phase;
import dev.postrider.tests.campaign.Findings.Strikes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a campaign did and found, for people and for programs, below {@code target}. It is written again and again while the
 * campaign goes on, so that there is one however it ends; one that is not complete says so. Any thread.
 */
final class CampaignReport {
    /** A kind that struck less often with events in flight has proved little. */
    static final int ENOUGH = 10;

    private final Path directory;
    private final long seed;
    private final String command;
    private final Slowdown slowdown;
    private final String commit = commit();
    private final Instant start = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    private final long startNanos = System.nanoTime();
    private final Map<Configuration, Findings> all = new EnumMap<>(Configuration.class);

    /**
     * @param command what repeats the campaign
     */
    CampaignReport(Path directory, long seed, String command, Slowdown slowdown) {
        this.directory = directory;
        this.seed = seed;
        this.command = command;
        this.slowdown = slowdown;
    }

    synchronized void add(Configuration configuration, Findings findings) {
        all.put(configuration, findings);
    }

    private static String commit() {
        String hash = git("rev-parse", "HEAD");
        return hash + (git("status", "--porcelain").isEmpty() ? "" : " with uncommitted changes");
    }

    /** What the campaign says about itself. */
    synchronized Map<String, String> facts() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("commit", commit);
        facts.put("seed", Long.toString(seed));
        facts.put("machine", Machine.described());
        facts.put("largest slowdown by others on the machine", String.format(Locale.ROOT, "%.1f", slowdown.largest()));
        facts.put("start", start.toString());
        Duration lasted = Duration.ofNanos(System.nanoTime() - startNanos);
        facts.put("duration", CampaignTables.minutes(lasted));
        int struck = all.values().stream().mapToInt(Findings::struck).sum();
        facts.put(
                "faults",
                struck + " of "
                        + all.values().stream().mapToInt(Findings::planned).sum() + " planned");
        facts.put(
                "faults per minute",
                String.format(Locale.ROOT, "%.1f", struck * 60_000.0 / Math.max(1, lasted.toMillis())));
        return facts;
    }

    /** One sentence. */
    synchronized String verdict() {
        List<String> broken = new ArrayList<>();
        List<String> brokenOff = new ArrayList<>();
        all.forEach((configuration, findings) -> {
            if (!findings.violations().isEmpty()) {
                broken.add(configuration.label());
            }
            if (findings.brokenOff() != null) {
                brokenOff.add(configuration.label() + " after " + findings.struck() + " of " + findings.planned()
                        + " faults (" + findings.brokenOff() + ")");
            }
        });
        String promises = broken.isEmpty()
                ? "No promise was broken."
                : "PROMISES WERE BROKEN at " + String.join(", ", broken) + ".";
        return brokenOff.isEmpty()
                ? promises
                : "NOT COMPLETE: broken off at " + String.join(", ", brokenOff) + ". " + promises;
    }

    /** Whether every kind struck often enough with events in flight. */
    synchronized String coverage() {
        List<String> few = new ArrayList<>();
        all.forEach((configuration, findings) ->
                findings.rarerThan(ENOUGH).forEach(kind -> few.add(kind.label() + " at " + configuration.label())));
        return few.isEmpty()
                ? "Every kind struck every configuration at least " + ENOUGH + " times with events in flight."
                : "Struck fewer than " + ENOUGH + " times with events in flight: " + String.join(", ", few) + ".";
    }

    synchronized String text() {
        StringBuilder text = new StringBuilder();
        text.append(line(verdict()));
        facts().forEach((name, value) -> text.append(line(name + ": " + value)));
        text.append(line("again: " + command));
        text.append(new CampaignTables(all).text());
        all.forEach((configuration, findings) -> {
            text.append(line(configuration.label() + ": " + findings.numbers()));
            findings.violations().forEach(violation -> text.append(line("  VIOLATION " + violation)));
            findings.details().forEach(detail -> text.append(line("    " + detail)));
        });
        text.append(line(coverage()));
        return text.toString();
    }

    synchronized String markdown() {
        StringBuilder text = new StringBuilder();
        text.append("""
                # The campaign

                Faults of every kind, several at a time, against relays of every configuration while random writers write. At the end
                everything that was written is compared with everything that arrived, and with what the relays said about it.
                `CampaignTest` wages it and writes this page; nothing here is written by hand.

                """);
        text.append(line("**" + verdict() + "** " + coverage())).append(line(""));
        text.append(line("| | |")).append(line("|---|---|"));
        facts().forEach((name, value) -> text.append(line("| " + name + " | " + value + " |")));
        all.forEach((configuration, findings) -> findings.violations()
                .forEach(violation -> text.append(line(""))
                        .append(line("VIOLATION at " + configuration.label() + ": " + violation))));
        text.append(new CampaignTables(all).markdown());
        text.append(line("")).append(line("## How to repeat it")).append(line(""));
        text.append(line("```sh")).append(line(command)).append(line("```")).append(line(""));
        text.append("""
                The seed decides the order of faults and what writers write. What is in flight when a fault strikes depends on the
                machine, so two runs with one seed are alike but not the same.
                """);
        return text.toString();
    }

    private static String line(String text) {
        return text + "\n";
    }

    synchronized void write() {
        Map<String, Object> json = new LinkedHashMap<>(facts());
        json.put("command", command);
        json.put("verdict", verdict());
        json.put("coverage", coverage());
        all.forEach((configuration, findings) -> json.put(configuration.label(), json(findings)));
        try {
            Files.createDirectories(directory);
            replace("report.txt", text());
            replace("report.md", markdown());
            replace("report.json", JsonMapper.shared().writeValueAsString(json));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whoever ends this process while it writes finds the report of before. */
    private void replace(String name, String content) throws IOException {
        Path written = Files.writeString(directory.resolve(name + ".new"), content);
        Files.move(written, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    private static Map<String, Object> json(Findings findings) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("database", findings.database());
        json.put("planned", findings.planned());
        json.put("struck", findings.struck());
        json.put("complete", findings.brokenOff() == null);
        if (findings.brokenOff() != null) {
            json.put("brokenOff", findings.brokenOff());
        }
        Map<String, Object> faults = new LinkedHashMap<>();
        findings.strikes().forEach((kind, strikes) -> faults.put(kind.label(), json(strikes)));
        json.put("faults", faults);
        json.put("longestMillisUntilDelivered", findings.longestUntilDelivered().toMillis());
        json.put("medianMillisUntilDelivered", findings.medianUntilDelivered().toMillis());
        Map<String, Object> spent = new LinkedHashMap<>();
        for (Phase phase : Phase.values()) {
            spent.put(phase.label(), findings.spentOn(phase).toMillis());
        }
        json.put("millisSpent", spent);
        json.put("numbers", findings.numbers());
        json.put("violations", findings.violations());
        return json;
    }

    private static Map<String, Object> json(Strikes strikes) {
        return Map.of(
                "struck", strikes.all(),
                "withEventsInFlight", strikes.inFlight(),
                "withoutEffect", strikes.inVain(),
                "meanMillis", strikes.meanMillis());
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
