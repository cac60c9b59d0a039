package dev.postrider.cli.debezium;

import dev.postrider.OutboxTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a connector finds in the database.
 *
 * @param schema where the table is
 * @param publishesMore whether the publication tells of more than inserts
 */
record OutboxInPlace(
        OutboxTable table,
        String schema,
        String walLevel,
        boolean hasPublication,
        boolean publishesMore,
        boolean isInPublication,
        boolean hasSlot) {
    private static final String LOOK = """
            select n.nspname as schema, current_setting('wal_level') as wal_level,
                   p.oid is not null as has_publication,
                   coalesce(p.pubupdate or p.pubdelete or p.pubtruncate, false) as publishes_more,
                   exists (
                       select 1 from pg_publication_tables t
                       where t.pubname = p.pubname and t.schemaname = n.nspname and t.tablename = c.relname
                   ) as is_in_publication,
                   exists (
                       select 1 from pg_replication_slots s
                       where s.slot_name = ? and s.database = current_database()
                   ) as has_slot
            from pg_class c
            join pg_namespace n on n.oid = c.relnamespace
            left join pg_publication p on p.pubname = ?
            where c.oid = ?::regclass
            """;

    static OutboxInPlace look(Connection connection, OutboxTable table, ConnectorNames names) throws SQLException {
        try (PreparedStatement look = connection.prepareStatement(LOOK)) {
            look.setString(1, names.slot());
            look.setString(2, names.publication());
            look.setString(3, table.sql());
            try (ResultSet row = look.executeQuery()) {
                row.next();
                return new OutboxInPlace(
                        table,
                        row.getString("schema"),
                        row.getString("wal_level"),
                        row.getBoolean("has_publication"),
                        row.getBoolean("publishes_more"),
                        row.getBoolean("is_in_publication"),
                        row.getBoolean("has_slot"));
            }
        }
    }

    /** As Debezium names it. */
    String tableName() {
        return schema + "." + table.name();
    }

    /** Makes the publication. */
    String publish(ConnectorNames names) {
        return "create publication " + names.publication() + " for table " + sqlName() + " with (publish = 'insert')";
    }

    private String sqlName() {
        return '"' + schema + "\".\"" + table.name() + '"';
    }

    /** What has to be done before the connector can start, or be relied on. */
    List<String> toDo(ConnectorNames names) {
        List<String> toDo = new ArrayList<>();
        if (!walLevel.equals("logical")) {
            toDo.add("The server's wal_level is " + walLevel
                    + "; Debezium needs logical. Set it in postgresql.conf, and restart the server.");
        }
        if (!hasPublication) {
            toDo.add("There is no publication " + names.publication() + ". As owner of the table run: "
                    + publish(names));
        } else if (!isInPublication) {
            toDo.add("The publication " + names.publication() + " does not tell of the outbox. Run: alter publication "
                    + names.publication() + " add table " + sqlName());
        }
        if (publishesMore) {
            toDo.add("The publication " + names.publication()
                    + " tells of more than inserts, which costs and is dropped." + " Run: alter publication "
                    + names.publication() + " set (publish = 'insert')");
        }
        if (!hasSlot) {
            toDo.add("There is no replication slot " + names.slot() + " yet. The connector makes it at its first start,"
                    + " and delivers what is committed from then on: events from before are for a relay.");
        }
        return toDo;
    }
}
