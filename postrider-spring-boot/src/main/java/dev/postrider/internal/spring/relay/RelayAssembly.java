package dev.postrider.internal.spring.relay;

import dev.postrider.OutboxTable;
import dev.postrider.Relay;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.Replication;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.publish.Publisher;
import dev.postrider.spring.RelayCustomizer;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Makes relays of what the application has set.
 *
 * @param housekeeping what is deleted, and when
 * @param listener is told of what the relay does
 * @param customizers have the last word
 */
public record RelayAssembly(
        RelaySettings settings,
        HousekeepingSettings housekeeping,
        RelayAlerts alerts,
        ContentIntegrity integrity,
        RelayListener listener,
        List<RelayCustomizer> customizers,
        @Nullable Replication replication) {

    Relay build(DataSource dataSource, Publisher publisher, OutboxTable table) {
        Relay.Builder relay = Relay.builder(dataSource, publisher)
                .table(table)
                .settings(settings)
                .housekeeping(housekeeping)
                .alerts(alerts.rules(), alerts.channels().get())
                .listener(listener);
        if (replication != null) {
            relay.replication(replication);
        }
        integrity.check(relay);
        customizers.forEach(customizer -> customizer.customize(relay));
        return relay.build();
    }
}
