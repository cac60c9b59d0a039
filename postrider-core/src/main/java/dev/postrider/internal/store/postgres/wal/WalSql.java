package dev.postrider.internal.store.postgres.wal;

import dev.postrider.OutboxStatus;
import dev.postrider.OutboxTable;
import dev.postrider.internal.store.log.Snapshot;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The statements that a bell and its publication take on ordinary connections, for one table. */
final class WalSql {
    private final OutboxTable table;

    WalSql(OutboxTable table) {
        this.table = table;
    }

    /**
     * The publication is named after the table and the schema it is in, whatever the connection's own. One without the table is
     * left of a table that was dropped.
     *
     * <p>{@code synchronous_standby_names} with an asterisk makes a standby of everybody who reads a stream: commits would be
     * acknowledged because a bell has confirmed them.
     */
    private static final String LOOK = """
            with named as (
                select c.oid, 'postrider_' || n.nspname || '_' || c.relname as name
                from pg_class c join pg_namespace n on n.oid = c.relnamespace
                where c.oid = '{table}'::regclass
            ), cut as (
                select oid, case when length(name) <= 63 then name else left(name, 54) || '_' || left(md5(name), 8) end as name
                from named
            )
            select cut.name as publication, p.oid is not null as published, r.oid is not null as has_table,
                   current_setting('server_version_num')::int >= 150000 as with_columns,
                   current_setting('wal_level') as wal_level,
                   current_setting('synchronous_standby_names') like '%*%' as anybody_is_standby,
                   current_setting('max_replication_slots')::int as slots,
                   (select count(*) from pg_replication_slots) as used_slots,
                   current_setting('max_wal_senders')::int as senders,
                   (select count(*) from pg_stat_replication) as used_senders,
                   exists (
                       select 1 from {lease} l
                       where l.name like 'relay/%' and l.expires_at > clock_timestamp()
                       offset 1
                   ) as others,
                   (select l.owner from {lease} l where l.name = 'wake-up' and l.expires_at > clock_timestamp()) as reader
            from cut
            left join pg_publication p on p.pubname = cut.name
            left join pg_publication_rel r on r.prpubid = p.oid and r.prrelid = cut.oid
            """;

    private static final String SNAPSHOT = "select pg_current_snapshot()::text";

    /** Nothing is lost with it, so it need not wait for the disk. */
    private static final String NOTIFY = "select set_config('synchronous_commit', 'off', true), pg_notify(?, ?)";

    /**
     * @param published whether the publication is there
     * @param hasTable whether the outbox is in it
     * @param withColumns whether this version of the server can publish some columns of a table only
     * @param others whether more than one relay is alive
     * @param reader the bell that holds the lease
     */
    record Look(
            String publication,
            boolean published,
            boolean hasTable,
            boolean withColumns,
            String walLevel,
            boolean anybodyIsStandby,
            int slots,
            int usedSlots,
            int senders,
            int usedSenders,
            boolean others,
            @Nullable String reader) {

        /** What a stream needs all the time. */
        List<String> lackingForStream() {
            List<String> lacking = new ArrayList<>();
            if (!walLevel.equals("logical")) {
                lacking.add("wal_level is " + walLevel + ": set it to logical and restart the server");
            }
            if (!published || !hasTable) {
                lacking.add("there is no publication " + publication + " of the outbox: run 'postrider migrate --wal'");
            }
            if (anybodyIsStandby) {
                lacking.add("synchronous_standby_names contains *, so that whoever reads a stream counts as a standby:"
                        + " name the standbys");
            }
            return lacking;
        }

        /** And what it needs to be opened. */
        List<String> lacking() {
            List<String> lacking = lackingForStream();
            if (usedSlots >= slots) {
                lacking.add("all " + slots + " replication slots are in use: raise max_replication_slots");
            }
            if (usedSenders >= senders) {
                lacking.add("all " + senders + " WAL senders are in use: raise max_wal_senders");
            }
            return lacking;
        }

        OutboxStatus.Stream status() {
            return new OutboxStatus.Stream(reader, reader == null ? lacking() : lackingForStream());
        }
    }

    Look look(Connection connection) throws SQLException {
        String sql = LOOK.replace("{table}", table.sql()).replace("{lease}", table.leaseSql());
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return new Look(
                    row.getString("publication"),
                    row.getBoolean("published"),
                    row.getBoolean("has_table"),
                    row.getBoolean("with_columns"),
                    row.getString("wal_level"),
                    row.getBoolean("anybody_is_standby"),
                    row.getInt("slots"),
                    row.getInt("used_slots"),
                    row.getInt("senders"),
                    row.getInt("used_senders"),
                    row.getBoolean("others"),
                    row.getString("reader"));
        }
    }

    Snapshot snapshot(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(SNAPSHOT);
                ResultSet row = select.executeQuery()) {
            row.next();
            return Snapshot.parse(row.getString(1));
        }
    }

    /** Whoever has this bell does not listen to it. */
    void notifyOthers(Connection connection, String bell) throws SQLException {
        try (PreparedStatement notify = connection.prepareStatement(NOTIFY)) {
            notify.setString(1, table.channel());
            notify.setString(2, bell);
            notify.execute();
        }
    }

    /** Only the ids of inserts, where the server can do that. */
    boolean publish(Connection connection) throws SQLException {
        Look look = look(connection);
        if (look.hasTable()) {
            return false;
        }
        String what = " table " + table.sql() + (look.withColumns() ? " (id)" : "");
        execute(
                connection,
                look.published()
                        ? "alter publication " + quoted(look) + " add" + what
                        : "create publication " + quoted(look) + " for" + what + " with (publish = 'insert')");
        return true;
    }

    boolean unpublish(Connection connection) throws SQLException {
        Look look = look(connection);
        if (look.published()) {
            execute(connection, "drop publication if exists " + quoted(look));
        }
        return look.published();
    }

    /** Schemas and tables have names without quotes in them. */
    private static String quoted(Look look) {
        return '"' + look.publication() + '"';
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
