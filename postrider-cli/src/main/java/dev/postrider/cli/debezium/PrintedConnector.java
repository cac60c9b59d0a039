package dev.postrider.cli.debezium;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import dev.postrider.cli.command.Database;
import dev.postrider.cli.configuration.KnownSettings;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.internal.store.jdbc.Explanation;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/**
 * What is printed about the connector of an outbox.
 *
 * @param config its name and its configuration, as Kafka Connect takes them
 * @param notes what is still to be done, and what it cannot do
 * @param publish makes the publication that it reads
 */
public record PrintedConnector(String name, Map<String, ?> config, List<String> notes, String publish) {

    /** With the standard names and with the password, from settings in the environment. */
    public static PrintedConnector of(Path directory, Map<String, String> environment) {
        Settings settings = options().read(directory, environment);
        ConnectorNames names = ConnectorNames.standard(settings.get(KnownSettings.OUTBOX_TABLE));
        return of(settings, directory, names, new Wanted(false, true));
    }

    /**
     * @param stock whether Debezium's own router makes the records
     * @param password whether the database's is printed
     */
    record Wanted(boolean stock, boolean password) {}

    static SettingsOptions options() {
        return new SettingsOptions("db", "table", "kafka", "relay.integrity", "relay.integrity-key-file");
    }

    static PrintedConnector of(Settings settings, Path directory, ConnectorNames names, Wanted wanted) {
        OutboxTable table = settings.get(KnownSettings.OUTBOX_TABLE);
        if (DatabaseFamily.ofUrl(settings.require(KnownSettings.DB_URL)) != DatabaseFamily.POSTGRESQL) {
            throw new UsageException(
                    "Debezium delivers outboxes in log mode, which needs PostgreSQL: in claim mode the state"
                            + " of an event is in its row, and only relays change it.");
        }
        Database database = Database.of(settings, directory);
        OutboxInPlace place = look(database, table, names);
        ConnectorSettings connector =
                new ConnectorSettings(names, place, settings, wanted.password() ? database : null);
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("name", names.connector());
        result.put(
                "config", wanted.stock() ? new StockRouter(connector).config() : new OwnTransform(connector).config());
        List<String> notes = new ArrayList<>(place.toDo(names));
        if (wanted.stock()) {
            notes.addAll(StockRouter.RESTRICTIONS);
        }
        return new PrintedConnector(names.connector(), result, notes, place.publish(names));
    }

    private static OutboxInPlace look(Database database, OutboxTable table, ConnectorNames names) {
        try (Connection connection = database.connect()) {
            OutboxLayout layout = Databases.of(connection).layout(connection, table);
            if (layout.mode() == OutboxMode.CLAIM) {
                throw new UsageException(
                        "Outbox " + table + " is in claim mode, where the state of an event is in its row and"
                                + " only relays change it: what Debezium delivers would stay PENDING. Run 'postrider alter --mode"
                                + " log' first.");
            }
            return OutboxInPlace.look(connection, table, names);
        } catch (SQLException e) {
            throw Explanation.ofOutbox(e, table);
        }
    }

    public String json() {
        return JsonMapper.shared().writeValueAsString(config);
    }
}
