package dev.postrider.cli.doctor.mysql;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.Clock;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.DoctorDatabase;
import dev.postrider.cli.doctor.check.Limits;
import java.sql.Connection;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The doctor on MariaDB and MySQL. */
public final class MySqlDoctor implements DoctorDatabase {
    /** The names differ on MariaDB and MySQL. */
    private static final String LIMITS = """
            set session innodb_lock_wait_timeout = 1, lock_wait_timeout = 1
                /*M! , max_statement_time = 5 */ /*!80000 , max_execution_time = 5000 */
            """;

    /** What is large is not packed here. */
    private static final String LARGEST_PAYLOADS = """
            select event_type, max(coalesce(octet_length(payload), octet_length(payload_binary))) as largest
            from (select event_type, payload, payload_binary from {outbox} order by id desc limit 1000) recent
            group by event_type
            order by event_type
            """;

    private static final String NEVER = """
            select count(*) as events from (
                select 1 from {outbox}
                where to_send in (1, 2) and next_attempt_at > utc_timestamp(6) + interval 100 year
                limit 1000) capped
            """;

    @Override
    public @Nullable String limitSession() {
        return LIMITS;
    }

    @Override
    public String begin() {
        return "set transaction read only";
    }

    @Override
    public String clock() {
        return "select unix_timestamp(now(6)) as seconds";
    }

    @Override
    public String largestPayloads() {
        return LARGEST_PAYLOADS;
    }

    @Override
    public String neverSent(OutboxMode mode) {
        return NEVER;
    }

    @Override
    public Map<String, Check> server(DatabaseSession session, Supplier<Connection> connections, Limits limits) {
        Map<String, Check> checks = MySqlServer.checks(session, limits);
        checks.put("clock", new Clock(session, limits));
        return checks;
    }

    @Override
    public Map<String, Check> outbox(
            DatabaseSession session, OutboxTable table, @Nullable OutboxLayout layout, Limits limits) {
        return Map.of();
    }
}
