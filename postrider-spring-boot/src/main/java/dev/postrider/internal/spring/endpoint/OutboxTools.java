package dev.postrider.internal.spring.endpoint;

import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxTable;
import dev.postrider.RelaySettings;
import dev.postrider.internal.spring.relay.BoundedConnections;
import dev.postrider.internal.spring.relay.ContentIntegrity;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The operators' tools of this application's outbox, on connections of its own pool that are in no transaction of its.
 *
 * @param admin what operators can do
 * @param dataSource to ask what that does not tell
 */
public record OutboxTools(OutboxAdmin admin, DataSource dataSource, OutboxTable table) {
    /** Operators wait for each other for half of it. */
    private static final Duration ANSWER = Duration.ofMinutes(1);

    /**
     * @param settings of the relay; null if there is none
     */
    public static OutboxTools of(
            DataSource dataSource, OutboxTable table, ContentIntegrity integrity, @Nullable RelaySettings settings) {
        DataSource bounded = new BoundedConnections(dataSource, ANSWER);
        OutboxAdmin.Builder admin = OutboxAdmin.builder(bounded).table(table);
        integrity.check(admin);
        if (settings != null) {
            admin.maxEventBytes(settings.batch().maxEventBytes());
        }
        return new OutboxTools(admin.build(), bounded, table);
    }
}
