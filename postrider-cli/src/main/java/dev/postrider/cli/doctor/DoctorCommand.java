package dev.postrider.cli.doctor;

import dev.postrider.OutboxTable;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.command.Database;
import dev.postrider.cli.configuration.Destinations;
import dev.postrider.cli.configuration.KnownSettings;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.destination.Destination;
import dev.postrider.cli.destination.EventTarget;
import dev.postrider.cli.doctor.check.Finding;
import dev.postrider.cli.doctor.check.Limits;
import dev.postrider.cli.settings.Settings;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;

/** Says what is wrong around an outbox, and what to do about it. */
@Command(
        name = "doctor",
        description = {
            "Looks at the database and at Kafka, and says what is wrong and how to put it right.",
            "Changes nothing. The exit status is 0 if nothing is worse than INFO, and 1 if there is a WARNING or an"
                    + " ERROR. Without Kafka's address, or with another destination, only the database is looked at."
        },
        footer = {
            "",
            "Examples:",
            "  postrider doctor --db-url jdbc:postgresql://localhost:5432/app --db-user app --kafka localhost:9092",
            "  postrider doctor --config /etc/postrider.yml --json"
        })
public final class DoctorCommand implements Callable<Integer> {
    private final CommandEnvironment environment;
    private final Limits limits;
    private final SettingsOptions options =
            new SettingsOptions(Destinations.groupsAnd(Destination::isOutside, "db", "table", "relay.destination"));

    @Mixin
    private CommonOptions common = new CommonOptions();

    private DoctorCommand(CommandEnvironment environment, Limits limits) {
        this.environment = environment;
        this.limits = limits;
    }

    public static CommandLine create(CommandEnvironment environment) {
        return create(environment, Limits.STANDARD);
    }

    static CommandLine create(CommandEnvironment environment, Limits limits) {
        DoctorCommand command = new DoctorCommand(environment, limits);
        return command.options.addTo(new CommandLine(command));
    }

    @Override
    public Integer call() throws InterruptedException {
        Settings settings = options.read(environment.directory(), environment.variables());
        OutboxTable table = settings.get(KnownSettings.OUTBOX_TABLE);
        Database database = Database.of(settings, environment.directory());
        Diagnosis diagnosis = new Doctor(database, table, atDestination(settings), limits).examine();
        if (common.json()) {
            environment.printJson(DoctorReport.json(table, diagnosis));
        } else {
            environment.out().print(DoctorReport.text(diagnosis, colours()));
            environment.out().flush();
        }
        return diagnosis.isHealthy() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    /** Refuses what a relay would refuse, except that nothing is said of where the destination is. */
    private Doctor.AtDestination atDestination(Settings settings) {
        Destination destination = settings.get(KnownSettings.RELAY_DESTINATION);
        Optional<Finding> unset = destination.unset(settings);
        if (unset.isPresent()) {
            return Doctor.AtDestination.nothing(unset.get());
        }
        EventTarget target = destination.target(settings, environment.directory());
        target.publisher().close();
        return target.checks()
                .map(Doctor.AtDestination::look)
                .orElseGet(() -> Doctor.AtDestination.nothing(Finding.info(
                        "relay.destination is " + destination.name() + ": there is no broker to look at.", null)));
    }

    /** On a terminal only. */
    private Ansi colours() {
        return environment.colours().areOn() ? Ansi.ON : Ansi.OFF;
    }
}
