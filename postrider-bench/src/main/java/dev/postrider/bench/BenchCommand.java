package dev.postrider.bench;

import dev.postrider.bench.contender.ContenderName;
import dev.postrider.bench.contender.ContenderName.Kind;
import dev.postrider.bench.lab.Laboratory;
import dev.postrider.bench.report.Circumstances;
import dev.postrider.bench.report.Figures;
import dev.postrider.bench.report.Report;
import dev.postrider.bench.scenario.Drain;
import dev.postrider.bench.scenario.Growth;
import dev.postrider.bench.scenario.HeldTransaction;
import dev.postrider.bench.scenario.Idle;
import dev.postrider.bench.scenario.Latency;
import dev.postrider.bench.scenario.Scenario;
import dev.postrider.bench.scenario.Session;
import dev.postrider.bench.scenario.WriteCost;
import dev.postrider.devservices.DevServicesException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code postrider bench}. Exit status 0 means that everything was measured, 1 that something could not be, 2 that the
 * user asked for something that makes no sense. Targets that are missed are figures, not failures.
 */
@Command(
        name = "postrider bench",
        description = {
            "Measures Postrider beside the raw Kafka producer and its peers, with a real PostgreSQL and Kafka, every"
                    + " contender in a JVM of its own, in turns.",
            "Leave the machine alone meanwhile: about an hour, with --quick ten minutes."
        },
        sortOptions = false,
        footer = {
            "",
            "Scenarios: drain, latency, write, idle, held, growth. With --quick the first three.",
            "Contenders: producer, producer-bare, log, exactly-once, claim-keep, claim-delete, empty (the benchmark itself), and the peers"
                    + " debezium, gruelbox, modulith, namastack."
        })
public final class BenchCommand implements Callable<Integer> {
    private static final List<Scenario> SCENARIOS =
            List.of(new Drain(), new Latency(), new WriteCost(), new Idle(), new HeldTransaction(), new Growth());
    private static final List<String> QUICK = List.of("drain", "latency", "write");

    private final PrintStream out;
    private final PrintStream err;
    private final long begin = System.nanoTime();

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--quick", description = "Smaller, and the first three scenarios only.")
    private boolean quick;

    @Option(
            names = "--scenario",
            split = ",",
            paramLabel = "NAME",
            description = "Only these, separated by commas: drain, latency, write, idle, held, growth.")
    private List<String> scenarios = List.of();

    @Option(
            names = "--peers",
            split = ",",
            paramLabel = "NAME",
            description = "Only these peers beside Postrider and the raw producer; 'none' for none. Default: all.")
    private List<String> peers = List.of("all");

    @Option(
            names = "--contenders",
            split = ",",
            paramLabel = "NAME",
            description = "Exactly these contenders, instead of Postrider, the raw producer and --peers.")
    private List<String> contenders = List.of();

    @Option(names = "--runs", paramLabel = "N", description = "Runs of each; the median counts. Default: 3.")
    private int runs = 3;

    @Option(names = "--set", paramLabel = "NAME=VALUE", description = "Something to try out: batch, linger, shards.")
    private Map<String, String> options = Map.of();

    @Option(names = "--json", description = "The report as JSON on standard output, instead of tables.")
    private boolean json;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Also write report.json, report.md and plots into this directory.")
    private @Nullable Path directory;

    @Option(
            names = "--jfr",
            paramLabel = "DIR",
            description = "Make a flight recording of every contender; that costs speed.")
    private @Nullable Path recordings;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    BenchCommand(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    public static void main(String[] args) {
        System.setProperty("java.awt.headless", "true");
        System.exit(run(System.out, System.err, args));
    }

    /** Runs a command line and returns its exit status. */
    static int run(PrintStream out, PrintStream err, String... args) {
        return new CommandLine(new BenchCommand(out, err))
                .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
                .setUsageHelpWidth(110)
                .setOut(new java.io.PrintWriter(out, true))
                .setParameterExceptionHandler((misuse, arguments) -> {
                    err.println("postrider bench: " + misuse.getMessage());
                    return CommandLine.ExitCode.USAGE;
                })
                .setExecutionExceptionHandler((error, command, parsed) -> {
                    if (error instanceof BenchException || error instanceof DevServicesException) {
                        err.println("postrider bench: " + error.getMessage());
                    } else {
                        error.printStackTrace(err);
                    }
                    return CommandLine.ExitCode.SOFTWARE;
                })
                .execute(args);
    }

    @Override
    public Integer call() throws Exception {
        if (runs < 1) {
            throw wrong("--runs must be 1 or more, not " + runs + ".");
        }
        List<Scenario> chosen = chosenScenarios();
        List<ContenderName> names = chosenContenders();
        Figures figures = new Figures();
        for (Path wanted : new Path[] {recordings, directory}) {
            if (wanted != null) {
                makeDirectory(wanted);
            }
        }
        tell("starting PostgreSQL and Kafka");
        Report report;
        try (Laboratory laboratory = Laboratory.open(recordings)) {
            for (Scenario scenario : chosen) {
                scenario.run(new Session(laboratory, names, quick, runs, options, figures, this::tell));
            }
            Map<String, String> described = new LinkedHashMap<>();
            chosen.forEach(scenario -> described.put(scenario.name(), scenario.description()));
            report = new Report(figures, Circumstances.now(quick, runs, laboratory.postgresVersion()), described);
        }
        if (directory != null) {
            report.write(directory);
            tell("the report is in " + directory);
        }
        out.println(json ? report.json() : report.text());
        return report.isComplete() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    /** Now rather than after an hour. */
    private void makeDirectory(Path wanted) {
        try {
            Files.createDirectories(wanted);
        } catch (IOException e) {
            throw wrong(wanted + " cannot be made a directory: " + e.getMessage());
        }
    }

    private List<Scenario> chosenScenarios() {
        List<String> names = scenarios;
        if (names.isEmpty()) {
            names = quick ? QUICK : SCENARIOS.stream().map(Scenario::name).toList();
        }
        Map<String, Scenario> known = SCENARIOS.stream().collect(Collectors.toMap(Scenario::name, Function.identity()));
        for (String name : names) {
            if (!known.containsKey(name)) {
                throw wrong("There is no scenario " + name + "; there are "
                        + SCENARIOS.stream().map(Scenario::name).collect(Collectors.joining(", ")) + ".");
            }
        }
        return names.stream().map(known::get).toList();
    }

    private List<ContenderName> chosenContenders() {
        if (!contenders.isEmpty()) {
            return contenders.stream().map(this::contender).toList();
        }
        List<ContenderName> chosenPeers = peers.contains("all") || peers.contains("none")
                ? List.of()
                : peers.stream().map(this::peer).toList();
        return Arrays.stream(ContenderName.values())
                .filter(name -> !isPeer(name) || peers.contains("all") || chosenPeers.contains(name))
                .toList();
    }

    private ContenderName peer(String label) {
        return ContenderName.find(label)
                .filter(BenchCommand::isPeer)
                .orElseThrow(() -> wrong("There is no peer " + label + "; there are " + labels(BenchCommand::isPeer)
                        + ", all and none."));
    }

    private ContenderName contender(String label) {
        return ContenderName.find(label)
                .orElseThrow(
                        () -> wrong("There is no contender " + label + "; there are " + labels(name -> true) + "."));
    }

    private static String labels(java.util.function.Predicate<ContenderName> which) {
        return Arrays.stream(ContenderName.values())
                .filter(which)
                .map(ContenderName::label)
                .collect(Collectors.joining(", "));
    }

    private static boolean isPeer(ContenderName name) {
        return name.kind() == Kind.POLLING_PEER || name.kind() == Kind.LOG_PEER;
    }

    private ParameterException wrong(String message) {
        return new ParameterException(java.util.Objects.requireNonNull(spec).commandLine(), message);
    }

    private void tell(String text) {
        err.printf(Locale.ROOT, "%7.1f s  %s%n", (System.nanoTime() - begin) / 1e9, text);
    }
}
