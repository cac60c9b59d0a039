package dev.postrider.cli;

import dev.postrider.NetworkTimeouts;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.alert.AlertChannel;
import dev.postrider.alert.AlertRules;
import dev.postrider.alert.Slf4jChannel;
import dev.postrider.alert.webhook.WebhookChannel;
import dev.postrider.alert.webhook.WebhookFormat;
import dev.postrider.cli.settings.Integrity;
import dev.postrider.cli.settings.KnownSettings;
import dev.postrider.cli.settings.Setting;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.failure.Backoff;
import dev.postrider.failure.CircuitSettings;
import dev.postrider.failure.DeadLetterSettings;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.housekeeping.Retention;
import dev.postrider.housekeeping.Schedule;
import dev.postrider.publish.Publisher;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
    private final byte @Nullable [] integrityKey;
    private final boolean integrityRequired;

    /**
     * @param directory from which relative paths start
     */
    RelayAssembly(Settings settings, Path directory) {
        try {
            this.relay = relay(settings, directory);
            this.housekeeping = housekeeping(settings);
            this.rules = rules(settings);
            this.channels = channels(settings, relay.name());
            this.integrityKey = settings.find(KnownSettings.RELAY_INTEGRITY_KEY_FILE)
                    .map(file -> read(directory.resolve(file)))
                    .orElse(null);
            this.integrityRequired = settings.get(KnownSettings.RELAY_INTEGRITY) == Integrity.REQUIRED;
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
        if (integrityRequired) {
            builder.integrityRequired();
        }
        return builder.build();
    }

    private static RelaySettings relay(Settings settings, Path directory) {
        RelaySettings.Builder builder = RelaySettings.builder()
                .batchSize(settings.get(KnownSettings.RELAY_BATCH_SIZE).intValue())
                .pollInterval(settings.get(KnownSettings.RELAY_POLL_INTERVAL))
                .polling(settings.get(KnownSettings.RELAY_POLLING))
                .ordering(settings.get(KnownSettings.RELAY_ORDERING))
                .onPublished(settings.get(KnownSettings.RELAY_ON_PUBLISHED))
                .split(settings.get(KnownSettings.RELAY_SPLIT))
                .maxBatchBytes(settings.get(KnownSettings.RELAY_MAX_BATCH_BYTES))
                .maxEventBytes(settings.get(KnownSettings.RELAY_MAX_EVENT_BYTES))
                .transactionSize(
                        settings.get(KnownSettings.RELAY_TRANSACTION_SIZE).intValue())
                .leaseLength(settings.get(KnownSettings.RELAY_LEASE_LENGTH))
                .drainTimeout(settings.get(KnownSettings.RELAY_DRAIN_TIMEOUT))
                .pooling(settings.get(KnownSettings.DB_POOLING))
                .network(new NetworkTimeouts(
                        settings.get(KnownSettings.RELAY_CONNECT_TIMEOUT),
                        settings.get(KnownSettings.RELAY_NETWORK_TIMEOUT),
                        settings.get(KnownSettings.RELAY_LEASE_NETWORK_TIMEOUT)))
                .retry(new Backoff(
                        settings.get(KnownSettings.RETRY_BASE),
                        settings.get(KnownSettings.RETRY_MULTIPLIER),
                        settings.get(KnownSettings.RETRY_CAP),
                        settings.get(KnownSettings.RETRY_JITTER),
                        settings.get(KnownSettings.RETRY_MAX).intValue()))
                .countOutages(settings.get(KnownSettings.RETRY_COUNT_OUTAGES))
                .circuit(new CircuitSettings(
                        settings.get(KnownSettings.CIRCUIT_WINDOW).intValue(),
                        settings.get(KnownSettings.CIRCUIT_MINIMUM_CALLS).intValue(),
                        settings.get(KnownSettings.CIRCUIT_FAILURE_RATE),
                        settings.get(KnownSettings.CIRCUIT_OPEN_FOR),
                        settings.get(KnownSettings.CIRCUIT_TRIAL_CALLS).intValue()))
                .deadLetters(new DeadLetterSettings(
                        settings.get(KnownSettings.DEAD_LETTER_THEN),
                        directory.resolve(settings.get(KnownSettings.DEAD_LETTER_FILE)),
                        settings.get(KnownSettings.ALERTS_INCLUDE_PAYLOAD)))
                .noAnswerAfter(settings.get(KnownSettings.RELAY_NO_ANSWER_AFTER));
        settings.find(KnownSettings.RELAY_NAME).ifPresent(builder::name);
        return builder.build();
    }

    private static HousekeepingSettings housekeeping(Settings settings) {
        Schedule daily =
                Schedule.daily(settings.get(KnownSettings.RETENTION_AT), settings.get(KnownSettings.RETENTION_ZONE));
        return HousekeepingSettings.builder()
                .retention(settings.find(KnownSettings.RETENTION_PUBLISHED)
                        .map(Retention::ofPublished)
                        .orElse(Retention.FOREVER))
                .schedule(settings.find(KnownSettings.RETENTION_EVERY)
                        .map(Schedule::every)
                        .orElse(daily))
                .build();
    }

    private static AlertRules rules(Settings settings) {
        AlertRules.Builder rules = AlertRules.builder()
                .pending(settings.get(KnownSettings.ALERTS_PENDING))
                .failed(settings.get(KnownSettings.ALERTS_FAILED))
                .failuresPerMinute(settings.get(KnownSettings.ALERTS_FAILURES_PER_MINUTE))
                .deadLetters(settings.get(KnownSettings.ALERTS_DEAD_LETTERS))
                .integrityFailures(settings.get(KnownSettings.ALERTS_INTEGRITY_FAILURES))
                .recovered(settings.get(KnownSettings.ALERTS_RECOVERED))
                .circuitOpen(settings.get(KnownSettings.ALERTS_CIRCUIT_OPEN))
                .unanswered(settings.get(KnownSettings.ALERTS_UNANSWERED))
                .coolDown(settings.get(KnownSettings.ALERTS_COOL_DOWN))
                .interval(settings.get(KnownSettings.ALERTS_INTERVAL));
        settings.find(KnownSettings.ALERTS_OLDEST_AGE).ifPresent(rules::oldestAge);
        return rules.build();
    }

    private static List<AlertChannel> channels(Settings settings, String relay) {
        List<AlertChannel> channels = new ArrayList<>();
        if (settings.get(KnownSettings.ALERTS_LOG)) {
            channels.add(new Slf4jChannel(relay));
        }
        webhook(settings, KnownSettings.ALERTS_DISCORD_URL, WebhookFormat.DISCORD)
                .ifPresent(channels::add);
        webhook(settings, KnownSettings.ALERTS_SLACK_URL, WebhookFormat.SLACK).ifPresent(channels::add);
        webhook(settings, KnownSettings.ALERTS_WEBHOOK_URL, WebhookFormat.JSON).ifPresent(channels::add);
        return channels;
    }

    private static Optional<AlertChannel> webhook(Settings settings, Setting<URI> url, WebhookFormat format) {
        return settings.find(url).map(where -> new WebhookChannel(where, format));
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new PostriderException("The integrity key cannot be read from " + file + ": " + e.getMessage());
        }
    }
}
