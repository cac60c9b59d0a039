package dev.postrider.cli.relay;

import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.alert.AlertChannel;
import dev.postrider.alert.AlertRules;
import dev.postrider.alert.webhook.AlertChannels;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.publish.Publisher;
import dev.postrider.settings.IntegritySettings;
import dev.postrider.settings.OptionValues;
import java.nio.file.Path;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Makes a relay of what the user has set. Whatever is wrong is said before anything is opened. */
final class RelayAssembly {
    private final RelaySettings relay;
    private final HousekeepingSettings housekeeping;
    private final AlertRules rules;
    private final List<AlertChannel> channels;
    private final IntegritySettings integrity;
    private final byte @Nullable [] integrityKey;

    /**
     * @param directory from which relative paths start
     */
    RelayAssembly(Settings settings, Path directory) {
        OptionValues values = settings.in(directory);
        try {
            this.relay = RelaySettings.of(values);
            this.housekeeping = HousekeepingSettings.of(values);
            this.rules = AlertRules.of(values);
            this.integrity = IntegritySettings.of(values);
            this.integrityKey = integrity.readKey();
            this.channels = AlertChannels.of(values, relay.name());
        } catch (PostriderException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    RelaySettings settings() {
        return relay;
    }

    Relay build(DataSource dataSource, Publisher publisher, OutboxTable table, RelayListener listener) {
        Relay.Builder builder = Relay.builder(dataSource, publisher)
                .table(table)
                .settings(relay)
                .housekeeping(housekeeping)
                .alerts(rules, channels)
                .listener(listener);
        if (integrityKey != null) {
            builder.integrityKey(integrityKey);
        }
        if (integrity.check() == IntegritySettings.Check.REQUIRED) {
            builder.integrityRequired();
        }
        return builder.build();
    }
}
