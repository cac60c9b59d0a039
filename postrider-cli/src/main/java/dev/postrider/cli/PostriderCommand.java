package dev.postrider.cli;

import dev.postrider.cli.admin.AdoptCommand;
import dev.postrider.cli.admin.AlterCommand;
import dev.postrider.cli.admin.AuditCommand;
import dev.postrider.cli.admin.DeadCommand;
import dev.postrider.cli.admin.MigrateCommand;
import dev.postrider.cli.admin.PauseCommand;
import dev.postrider.cli.admin.ReplayCommand;
import dev.postrider.cli.admin.RestoreCommand;
import dev.postrider.cli.admin.ResumeCommand;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.command.ErrorMessages;
import dev.postrider.cli.command.Logging;
import dev.postrider.cli.command.StopSignal;
import dev.postrider.cli.command.Terminal;
import dev.postrider.cli.config.ConfigCommand;
import dev.postrider.cli.configuration.SettingsReader;
import dev.postrider.cli.debezium.DebeziumCommand;
import dev.postrider.cli.demo.DemoCommand;
import dev.postrider.cli.devservices.DevServicesCommand;
import dev.postrider.cli.doctor.DoctorCommand;
import dev.postrider.cli.help.CompletionCommand;
import dev.postrider.cli.help.HelpCommand;
import dev.postrider.cli.relay.RelayCommand;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.cli.status.StatusCommand;
import dev.postrider.cli.topics.TopicsCommand;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/**
 * The command line. Exit status 0 means done, 1 that something around it failed, 2 that the user asked
 * for something that makes no sense; an error is one line on standard error.
 */
@Command(
        name = "postrider",
        description = "The transactional outbox: moves events from the database transaction that caused them to Kafka.",
        versionProvider = PostriderCommand.Version.class,
        footer = {
            "",
            "See what it does, with real servers and nothing to install:",
            "  postrider demo",
            "",
            "Measure it beside its peers, from a checkout of its sources:",
            "  ./postrider bench --quick",
            "",
            "'postrider help COMMAND' says more about a command, 'postrider help settings' what can be set."
        })
public final class PostriderCommand {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    @Option(names = "--version", versionHelp = true, description = "Show the version.")
    private boolean version;

    private PostriderCommand() {}

    public static void main(String[] args) {
        StopSignal stop = new StopSignal();
        stop.install();
        int status = run(
                new CommandEnvironment(
                        Path.of("").toAbsolutePath(),
                        System.getenv(),
                        System.out,
                        System.err,
                        stop,
                        Terminal.ofProcess(System.err)),
                args);
        stop.finish(status);
        System.exit(status);
    }

    /** Runs a command line and returns its exit status. */
    static int run(CommandEnvironment environment, String... args) {
        int status = execute(environment, Shorthand.expand(args));
        // Flushes first. What could not be written is not done, whatever the command thinks.
        if (environment.out().checkError()) {
            environment.err().println("postrider: The output could not be written: its device is full, or was closed.");
            return status == CommandLine.ExitCode.OK ? CommandLine.ExitCode.SOFTWARE : status;
        }
        return status;
    }

    private static int execute(CommandEnvironment environment, String... args) {
        ErrorMessages errors = new ErrorMessages(environment);
        return new CommandLine(new PostriderCommand())
                .addSubcommand(AdoptCommand.create(environment))
                .addSubcommand(AlterCommand.create(environment))
                .addSubcommand(AuditCommand.create(environment))
                .addSubcommand(CompletionCommand.create(environment))
                .addSubcommand(ConfigCommand.create(environment))
                .addSubcommand(DeadCommand.create(environment))
                .addSubcommand(DebeziumCommand.create(environment))
                .addSubcommand(DemoCommand.create(environment))
                .addSubcommand(DevServicesCommand.create(environment))
                .addSubcommand(DoctorCommand.create(environment))
                .addSubcommand(HelpCommand.create(environment))
                .addSubcommand(MigrateCommand.create(environment))
                .addSubcommand(PauseCommand.create(environment))
                .addSubcommand(RelayCommand.create(environment))
                .addSubcommand(ReplayCommand.create(environment))
                .addSubcommand(RestoreCommand.create(environment))
                .addSubcommand(ResumeCommand.create(environment))
                .addSubcommand(StatusCommand.create(environment))
                .addSubcommand(TopicsCommand.create(environment))
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF))
                .setUsageHelpWidth(110)
                .setOut(new PrintWriter(environment.out(), true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(environment.err(), true, StandardCharsets.UTF_8))
                .setParameterExceptionHandler((misuse, arguments) -> errors.about(misuse))
                .setExecutionExceptionHandler((error, command, parsed) -> errors.about(error, isVerbose(parsed)))
                .setExecutionStrategy(parsed -> execute(parsed, environment, errors))
                .execute(args);
    }

    private static int execute(ParseResult parsed, CommandEnvironment environment, ErrorMessages errors) {
        Integer helped = CommandLine.executeHelpRequest(parsed);
        if (helped != null) {
            return helped;
        }
        if (!isAboutItself(parsed)) {
            try {
                SettingsReader.checkVariables(environment.variables());
            } catch (UsageException e) {
                return errors.about(e, isVerbose(parsed));
            }
        }
        if (isVerbose(parsed)) {
            Logging.raise();
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    /** Needs no settings: whoever looks for the right name of one gets help even with a wrong one. */
    private static boolean isAboutItself(ParseResult parsed) {
        return parsed.hasSubcommand()
                && Set.of(HelpCommand.NAME, CompletionCommand.NAME)
                        .contains(parsed.subcommand().commandSpec().name());
    }

    private static boolean isVerbose(@Nullable ParseResult parsed) {
        for (ParseResult part = parsed; part != null; part = part.subcommand()) {
            if (part.hasMatchedOption(CommonOptions.VERBOSE)) {
                return true;
            }
        }
        return false;
    }

    /** From the jar's manifest. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = PostriderCommand.class.getPackage().getImplementationVersion();
            return new String[] {"postrider " + (version == null ? "(not packaged)" : version)};
        }
    }
}
