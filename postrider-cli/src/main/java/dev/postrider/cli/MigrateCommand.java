package dev.postrider.cli;

import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.cli.settings.KnownSettings;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.SettingsOptions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Creates or updates the tables of an outbox. */
@Command(
        name = "migrate",
        description = "Creates the tables of an outbox, or brings them up to date.",
        footer = {
            "",
            "Examples:",
            "  postrider migrate --db-url jdbc:postgresql://localhost:5432/app --db-user app \\",
            "      --db-password-file /run/secrets/app-db",
            "  postrider migrate --print | psql app"
        })
final class MigrateCommand implements Callable<Integer> {
    private final Surroundings surroundings;
    private final SettingsOptions options = new SettingsOptions("db", "table");

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Option(names = "--print", description = "Print the SQL instead of running it. Needs no database.")
    private boolean print;

    private MigrateCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    static CommandLine create(Surroundings surroundings) {
        MigrateCommand command = new MigrateCommand(surroundings);
        return command.options.addTo(new CommandLine(command));
    }

    @Override
    public Integer call() {
        Settings settings = options.read(surroundings.directory(), surroundings.environment());
        OutboxTable table = settings.get(KnownSettings.OUTBOX_TABLE);
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("table", table.toString());
        if (print) {
            String script = OutboxSchema.script(table, layout());
            result.put("sql", script);
            report(result, script.stripTrailing());
        } else {
            int applied = migrate(Database.of(settings, surroundings.directory()), table, layout());
            result.put("applied", applied);
            report(result, describe(table, applied));
        }
        return CommandLine.ExitCode.OK;
    }

    private static int migrate(Database database, OutboxTable table, OutboxLayout layout) {
        try (Connection reachable = database.connect()) {
            reachable.getMetaData();
        } catch (SQLException e) {
            throw new PostriderException("The database cannot be used: " + e.getMessage(), e);
        }
        try (HikariDataSource pool = database.pool("postrider-migrate", 2)) {
            return OutboxSchema.migrate(pool, table, layout);
        }
    }

    private OutboxLayout layout() {
        return OutboxLayout.DEFAULT;
    }

    private static String describe(OutboxTable table, int applied) {
        return switch (applied) {
            case 0 -> "Outbox " + table + " is up to date.";
            case 1 -> "Outbox " + table + " is ready: 1 migration applied.";
            default -> "Outbox " + table + " is ready: " + applied + " migrations applied.";
        };
    }

    private void report(Map<String, ?> result, String text) {
        if (common.json()) {
            surroundings.printJson(result);
        } else {
            surroundings.out().println(text);
        }
    }
}
