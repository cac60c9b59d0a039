package dev.postrider.internal.store.jdbc;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The tables of an outbox: what is the same on every database. */
public final class OutboxTables {
    /** In order; a new migration is added here and as a file of each family. */
    private static final List<String> FILES = List.of("V1__outbox.sql");

    /** Of the tables that this Postrider makes. */
    public static final int VERSION = FILES.size();

    private OutboxTables() {}

    /**
     * @param folder of the family's scripts
     * @param tables what stands for which quoted name in them
     * @param completion of a new outbox; the last is its version
     */
    public static Schema of(
            Database database,
            String folder,
            OutboxTable table,
            OutboxLayout layout,
            Map<String, String> tables,
            String completion) {
        Map<String, String> placeholders = new HashMap<>(tables);
        placeholders.put("name", table.name());
        placeholders.put("new_status", layout.mode() == OutboxMode.LOG ? "LOG" : "PENDING");
        return new Schema(
                "outbox",
                "postrider migrate",
                database,
                table,
                new SchemaFiles("dev/postrider/schema/" + folder, FILES, placeholders),
                completion.replace("{schema_version}", String.valueOf(VERSION)));
    }
}
