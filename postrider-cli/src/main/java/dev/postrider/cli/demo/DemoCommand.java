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
import org.jspecify.annotations.Nullable;
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
                    + " only if nothing was lost, reordered or invented, and with --delivery exactly-once nothing doubled."
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
            "  postrider demo --events 100000 --instances 3 --json"
        })
public final class DemoCommand implements Callable<Integer> {
    private final CommandEnvironment environment;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Option(
            names = "--events",
            paramLabel = "<number>",
            defaultValue = "20000",
            description = "Events to write. Default: 20000.")
    private String events = "";

    @Option(
            names = "--rate",
            paramLabel = "<number>",
            description = "Events per second. Default: as fast as it goes; with --chaos, so that it takes "
                    + Chaos.SECONDS + " seconds.")
    private @Nullable String rate;

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
            description = "Who delivers: relays, or Debezium on a Kafka Connect worker. Default: relay.")
    private String via = "";

    @Option(
            names = "--chaos",
            description =
                    "Kill relays or the worker, pause a relay for longer than its lease, kill Kafka and stop Kafka while events"
                            + " flow, and let them go on.")
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
        Progress progress = new Progress(environment.err(), environment.variables());
        DemoReport report = new Demo(options, progress).run();
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
        int number = number(events, 1, 10_000_000, "--events");
        int perSecond = chaos ? Math.max(1, number / Chaos.SECONDS) : 0;
        if (rate != null) {
            perSecond = number(rate, 1, 1_000_000, "--rate");
        }
        return new DemoOptions(
                on,
                chosen,
                number,
                perSecond,
                viaDebezium(chosen),
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
