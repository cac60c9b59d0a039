package dev.postrider.internal.store.jdbc;

import dev.postrider.OutboxTable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The tables of an inbox: what is the same on every database. */
public final class InboxTables {
    private static final List<String> FILES = List.of("V1__inbox.sql");

    private InboxTables() {}

    /**
     * @param folder of the family's scripts
     * @param tables what stands for which quoted name in them
     * @param completion writes the version of a new inbox
     */
    public static Schema of(
            Database database, String folder, OutboxTable table, Map<String, String> tables, String completion) {
        Map<String, String> placeholders = new HashMap<>(tables);
        placeholders.put("name", table.name());
        return new Schema(
                "inbox",
                "postrider migrate --inbox" + (table.toString().equals("inbox") ? "" : " " + table),
                database,
                table,
                new SchemaFiles("dev/postrider/inbox/" + folder, FILES, placeholders),
                completion
                        .replace("{settings}", database.quoted(table.settingsSql()))
                        .replace("{schema_version}", String.valueOf(FILES.size())));
    }
}
