package dev.postrider.cli.demo;

import dev.postrider.Delivery;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.command.LayoutOptions;
import dev.postrider.cli.command.Logging;
import dev.postrider.cli.command.ServerJars;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.settings.Formats;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows that nothing is lost, doubled without need, reordered or invented. */
@Command(
        name = "demo",
        description = {
            "Shows with real servers that every committed event arrives, in order, and no other.",
            "Starts PostgreSQL (or MariaDB) and Kafka, moves money between accounts in transactions that also write events, lets relays"
                    + " deliver them, and compares what was committed with what a consumer received. The exit status is 0"
                    + " only if nothing was lost, reordered or invented, and with --delivery exactly-once nothing doubled.",
            "Latency is measured while events flow at a steady rate, throughput while a backlog is drained, both after a"
                    + " warm-up. It takes one to two minutes."
        },
        footer = {
            "",
            "Examples:",
            "  postrider demo",
            "  postrider demo --chaos",
            "  postrider demo --chaos --delivery exactly-once",
            "  postrider demo --mode claim",
            "  postrider demo --db mariadb --chaos",
            "  postrider demo --via debezium",
            "  postrider demo --rate 1000 --backlog 20000 --instances 3 --json"
        })
public final class DemoCommand implements Callable<Integer> {
    private final CommandEnvironment environment;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Option(
            names = "--rate",
            paramLabel = "<number>",
            defaultValue = "300",
            description = "Events per second while latency is measured, and while things break. Default: 300.")
    private String rate = "";

    @Option(
            names = "--seconds",
            paramLabel = "<number>",
            defaultValue = "15",
            description = "How long latency is measured. Default: 15.")
    private String seconds = "";

    @Option(
            names = "--backlog",
            paramLabel = "<number>",
            defaultValue = "200000",
            description = "Events that wait when throughput is measured; 0 leaves this out. Default: 200000.")
    private String backlog = "";

    @Option(
            names = "--db",
            paramLabel = "<postgresql|mariadb>",
            defaultValue = "postgresql",
            description = "The database. Default: postgresql.")
    private String database = "";

    @Mixin
    private LayoutOptions layout = new LayoutOptions();

    @Option(
            names = "--instances",
            paramLabel = "<number>",
            defaultValue = "2",
            description = "Relays, each a process of its own. Default: 2.")
    private String instances = "";

    @Option(
            names = "--via",
            paramLabel = "<relay|debezium>",
            defaultValue = "relay",
            description =
                    "Who delivers: relays, or Debezium on a Kafka Connect worker, which cannot be paused, so that no"
                            + " backlog is drained. Default: relay.")
    private String via = "";

    @Option(
            names = "--chaos",
            description =
                    "Kill relays or the worker, pause a relay for longer than its lease, kill Kafka and stop Kafka"
                            + " while events flow, and let them go on.")
    private boolean chaos;

    private DemoCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    public static CommandLine create(CommandEnvironment environment) {
        return new CommandLine(new DemoCommand(environment));
    }

    @Override
    public Integer call() throws Exception {
        DemoOptions options = options();
        ServerJars.require("demo");
        Logging.hushForDemo(common.verbose());
        environment.stop().onRequest(Thread.currentThread()::interrupt);
        Participants participants = new Participants();
        DemoReport report;
        try (Progress progress = Progress.of(environment, participants)) {
            report = new Demo(options, progress, participants).run();
        }
        if (common.json()) {
            environment.printJson(report.json());
        } else {
            environment.out().print(report.text());
        }
        return report.isGood() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private DemoOptions options() {
        DemoDatabase on = DemoDatabase.named(database);
        OutboxLayout chosen = layout.layout(on.family());
        boolean viaDebezium = viaDebezium(chosen);
        int waiting = number(backlog, 0, 10_000_000, "--backlog");
        return new DemoOptions(
                on,
                chosen,
                number(rate, 1, 1_000_000, "--rate"),
                number(seconds, 1, 3_600, "--seconds"),
                viaDebezium ? 0 : waiting,
                viaDebezium,
                number(instances, 1, 16, "--instances"),
                chaos,
                common.verbose());
    }

    private boolean viaDebezium(OutboxLayout chosen) {
        switch (via) {
            case "relay" -> {
                return false;
            }
            case "debezium" -> {
                if (chosen.mode() != OutboxMode.LOG || chosen.delivery() != Delivery.AT_LEAST_ONCE) {
                    throw new UsageException(
                            "--via debezium is for --mode log and --delivery at-least-once, on PostgreSQL:"
                                    + " Debezium changes no state in a row, and delivers at least once.");
                }
                return true;
            }
            default -> throw new UsageException("--via is [" + via + "]; it must be relay or debezium.");
        }
    }

    private static int number(String text, int min, int max, String option) {
        return Formats.wholeNumber(min, max).parse(text, option);
    }
}
