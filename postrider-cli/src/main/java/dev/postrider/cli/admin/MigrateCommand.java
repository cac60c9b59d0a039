package dev.postrider.cli.admin;

import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.DatabaseFamily;
import dev.postrider.InboxSchema;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.RelaySettings;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.command.Database;
import dev.postrider.cli.command.LayoutOptions;
import dev.postrider.cli.configuration.KnownSettings;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Creates or updates the tables of an outbox. */
@Command(
        name = "migrate",
        description = {
            "Creates the tables of an outbox, or of an inbox, or brings them up to date.",
            "--mode, --shards and --delivery hold for a new outbox. One that is there keeps what it has, and the output"
                    + " says so; 'postrider alter' changes it.",
            "Interrupted, it has changed nothing; on MariaDB and MySQL the same command does the rest. Tables that are newer,"
                    + " not Postrider's, or changed are left as they are."
        },
        footer = {
            "",
            "Examples:",
            "  postrider migrate --db-url jdbc:postgresql://localhost:5432/app --db-user app \\",
            "      --db-password-file /run/secrets/app-db",
            "  postrider migrate --mode log --shards 8",
            "  postrider migrate --mode claim",
            "  postrider migrate --wal",
            "  postrider migrate --inbox",
            "  postrider migrate --print | psql --single-transaction app",
            "  postrider migrate --db-url jdbc:mariadb://localhost:3306/app --print | mariadb app"
        })
public final class MigrateCommand implements Callable<Integer> {
    private final CommandEnvironment environment;
    private final SettingsOptions options = new SettingsOptions("db", "table");

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Option(
            names = "--print",
            description = "Print the SQL instead of running it. Needs no database; db.url says for which kind.")
    private boolean print;

    @Option(
            names = "--inbox",
            paramLabel = "TABLE",
            arity = "0..1",
            fallbackValue = InboxSchema.TABLE,
            description =
                    "The tables of an inbox instead, by the name of the first. Default: " + InboxSchema.TABLE + ".")
    private @Nullable String inbox;

    @Option(
            names = "--wal",
            description = "Also make the publication that wakes relays by the replication stream of PostgreSQL.")
    private boolean wal;

    @Option(names = "--no-wal", description = "Drop that publication.")
    private boolean noWal;

    @Mixin
    private LayoutOptions layout = new LayoutOptions();

    private MigrateCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    public static CommandLine create(CommandEnvironment environment) {
        MigrateCommand command = new MigrateCommand(environment);
        return command.options.addTo(new CommandLine(command));
    }

    @Override
    public Integer call() {
        Settings settings = options.read(environment.directory(), environment.variables());
        if (wal && noWal || (wal || noWal) && (print || inbox != null)) {
            throw new UsageException("--wal and --no-wal exclude each other, --print and --inbox.");
        }
        DatabaseFamily family =
                settings.find(KnownSettings.DB_URL).map(DatabaseFamily::ofUrl).orElse(DatabaseFamily.POSTGRESQL);
        if (inbox != null) {
            return migrateInbox(settings, family, inbox);
        }
        OutboxLayout wanted = layout.layout(family);
        OutboxTable table = settings.get(KnownSettings.OUTBOX_TABLE);
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("table", table.toString());
        if (print) {
            String script = OutboxSchema.script(family, table, wanted);
            result.putAll(LayoutOptions.json(wanted));
            result.put("sql", script);
            report(result, script.stripTrailing());
        } else {
            Migrated migrated = migrate(settings, Database.of(settings, environment.directory()), table, wanted);
            List<String> unlike = layout.unlike(family, migrated.layout());
            result.put("applied", migrated.applied());
            result.putAll(LayoutOptions.json(migrated.layout()));
            result.put("notAsAsked", unlike);
            if (wal || noWal) {
                result.put("publicationChanged", migrated.publicationChanged());
            }
            report(result, describe(table, migrated, unlike) + publication(migrated.publicationChanged()));
        }
        return CommandLine.ExitCode.OK;
    }

    private int migrateInbox(Settings settings, DatabaseFamily family, String table) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("table", table);
        if (print) {
            String script = InboxSchema.script(family, table);
            result.put("sql", script);
            report(result, script.stripTrailing());
            return CommandLine.ExitCode.OK;
        }
        Database database = Database.of(settings, environment.directory());
        requireReachable(database);
        try (HikariDataSource pool = database.pool("postrider-migrate", 2)) {
            int applied = InboxSchema.migrate(pool, table);
            result.put("applied", applied);
            report(result, "Inbox " + table + (applied == 0 ? " is up to date." : " is ready."));
        }
        return CommandLine.ExitCode.OK;
    }

    /** One clear error, before anything is tried for long. */
    private static void requireReachable(Database database) {
        try (Connection reachable = database.connect()) {
            reachable.getMetaData();
        } catch (SQLException e) {
            throw new PostriderException("The database cannot be used: " + e.getMessage(), e);
        }
    }

    /**
     * @param applied how many migrations
     * @param layout what the outbox has now
     * @param publicationChanged whether the publication was made or dropped
     */
    private record Migrated(int applied, OutboxLayout layout, boolean publicationChanged) {}

    private Migrated migrate(Settings settings, Database database, OutboxTable table, OutboxLayout wanted) {
        requireReachable(database);
        try (HikariDataSource pool = database.pool("postrider-migrate", 2)) {
            int applied = OutboxSchema.migrate(pool, table, wanted, settings.get(RelaySettings.POOLING));
            boolean changed = wal && OutboxSchema.publish(pool, table) || noWal && OutboxSchema.unpublish(pool, table);
            return new Migrated(
                    applied, OutboxAdmin.builder(pool).table(table).build().layout(), changed);
        }
    }

    private String publication(boolean changed) {
        if (!wal && !noWal) {
            return "";
        }
        String done = wal
                ? changed ? "Its publication is made" : "Its publication is there already"
                : changed ? "Its publication is dropped" : "There was no publication";
        return System.lineSeparator() + done + ".";
    }

    private static String describe(OutboxTable table, Migrated migrated, List<String> unlike) {
        String done = switch (migrated.applied()) {
            case 0 -> "Outbox " + table + " is up to date: ";
            case 1 -> "Outbox " + table + " is ready, 1 migration applied: ";
            default -> "Outbox " + table + " is ready, " + migrated.applied() + " migrations applied: ";
        };
        String text = done + migrated.layout().describe() + ".";
        return unlike.isEmpty()
                ? text
                : text + System.lineSeparator() + "It existed already and stays as it is; these options were ignored: "
                        + String.join(", ", unlike) + ". To change it: postrider alter";
    }

    private void report(Map<String, ?> result, String text) {
        if (common.json()) {
            environment.printJson(result);
        } else {
            environment.out().println(text);
        }
    }
}
