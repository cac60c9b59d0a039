package dev.postrider.cli.doctor.postgres;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.Clock;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.DoctorDatabase;
import dev.postrider.cli.doctor.check.Limits;
import dev.postrider.cli.doctor.outbox.PostgresOutboxChecks;
import java.sql.Connection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The doctor on PostgreSQL. */
public final class PostgresDoctor implements DoctorDatabase {
    private static final String BEGIN = """
            set transaction read only;
            set local lock_timeout = '1s';
            set local statement_timeout = '5s'
            """;

    /**
     * The types of the last thousand events. A payload's true size is known only after unpacking it, so that is
     * done with the few that take most space as they are stored.
     */
    private static final String LARGEST_PAYLOADS = """
            with recent as (
                select id, event_type, coalesce(pg_column_size(payload), pg_column_size(payload_binary)) as stored
                from {outbox}
                order by id desc
                limit 1000
            ), ranked as (
                select id, row_number() over (partition by event_type order by stored desc) as place
                from recent
            )
            select o.event_type,
                   max(coalesce(octet_length(o.payload::text), octet_length(o.payload_binary))) as largest
            from ranked r join {outbox} o using (id)
            where r.place <= 3
            group by o.event_type
            order by o.event_type
            """;

    private static final String NEVER_OF_CLAIMS = """
            select count(*) as events from (
                select 1 from {outbox}
                where status in ('PENDING', 'FAILED') and next_attempt_at > clock_timestamp() + interval '100 years'
                limit 1000) capped
            """;

    private static final String NEVER_OF_LOG = """
            select count(*) as events from (
                select 1 from {parked}
                where state in ('FAILED', 'SCHEDULED') and next_attempt_at > clock_timestamp() + interval '100 years'
                limit 1000) capped
            """;

    @Override
    public @Nullable String limitSession() {
        return null;
    }

    @Override
    public String begin() {
        return BEGIN;
    }

    @Override
    public String clock() {
        return "select extract(epoch from clock_timestamp()) as seconds";
    }

    @Override
    public String largestPayloads() {
        return LARGEST_PAYLOADS;
    }

    @Override
    public String neverSent(OutboxMode mode) {
        return mode == OutboxMode.LOG ? NEVER_OF_LOG : NEVER_OF_CLAIMS;
    }

    @Override
    public Map<String, Check> server(DatabaseSession session, Supplier<Connection> connections, Limits limits) {
        Map<String, Check> checks = new LinkedHashMap<>();
        checks.put("version", new Version(session));
        checks.put("writable", new Writable(session));
        checks.put("durability", new Durability(session));
        checks.put("isolation", new Isolation(session));
        checks.put("pooling", new Pooling(connections));
        checks.put("connections", new FreeConnections(session, limits));
        checks.put("clock", new Clock(session, limits));
        checks.put("transactions", new OpenTransactions(session, limits));
        checks.put("prepared-transactions", new PreparedTransactions(session, limits));
        checks.put("replication-slots", new ReplicationSlots(session, limits));
        return checks;
    }

    @Override
    public Map<String, Check> outbox(
            DatabaseSession session, OutboxTable table, @Nullable OutboxLayout layout, Limits limits) {
        return PostgresOutboxChecks.of(session, table, layout, limits);
    }
}
