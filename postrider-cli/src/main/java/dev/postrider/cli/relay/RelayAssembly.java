package dev.postrider.cli.relay;

import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.Replication;
import dev.postrider.WakeUp;
import dev.postrider.alert.AlertChannel;
import dev.postrider.alert.AlertRules;
import dev.postrider.alert.webhook.AlertChannels;
import dev.postrider.cli.configuration.KnownSettings;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.publish.Publisher;
import dev.postrider.settings.IntegritySettings;
import dev.postrider.settings.OptionValues;
import dev.postrider.settings.PollSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
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
            if (relay.polling().wakeUp() == WakeUp.WAL
                    && settings.find(KnownSettings.DB_REPLICATION_USER).isEmpty()) {
                throw new UsageException(PollSettings.WAKE_UP.key() + " is wal, and "
                        + KnownSettings.DB_REPLICATION_USER.key()
                        + " is not set: set it to a role with the attribute REPLICATION, or use auto.");
            }
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

    Relay build(
            DataSource dataSource,
            Optional<Replication> replication,
            Publisher publisher,
            OutboxTable table,
            RelayListener listener) {
        Relay.Builder builder = Relay.builder(dataSource, publisher)
                .table(table)
                .settings(relay)
                .housekeeping(housekeeping)
                .alerts(rules, channels)
                .listener(listener);
        replication.ifPresent(builder::replication);
        if (integrityKey != null) {
            builder.integrityKey(integrityKey);
        }
        if (integrity.check() == IntegritySettings.Check.REQUIRED) {
            builder.integrityRequired();
        }
        return builder.build();
    }
}
