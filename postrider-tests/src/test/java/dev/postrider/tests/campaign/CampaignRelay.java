package dev.postrider.tests.campaign;

import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.Relay;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.cli.command.Database;
import dev.postrider.failure.Backoff;
import dev.postrider.failure.CircuitSettings;
import dev.postrider.failure.DeadLetterSettings;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.housekeeping.Retention;
import dev.postrider.housekeeping.Schedule;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.metrics.RelayMetrics;
import dev.postrider.publish.TopicRouting;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The main class of a relay of the campaign, in a process of its own: a relay as users have it, whose destination refuses
 * and dawdles where events ask for it, and whose threads meet errors on command. Tells on standard output what its
 * listener and its metrics say; ends when standard input does.
 */
final class CampaignRelay {
    private static final int CONNECTIONS = 12;

    private CampaignRelay() {}

    /**
     * @param brokers leads over the wire
     * @param maxBatchBytes less for a small heap
     */
    record Options(
            String name,
            String url,
            String user,
            String password,
            String brokers,
            String topicPrefix,
            String deadLetterFile,
            long maxBatchBytes) {

        List<String> toArguments() {
            return List.of(
                    name, url, user, password, brokers, topicPrefix, deadLetterFile, Long.toString(maxBatchBytes));
        }

        static Options from(String[] args) {
            return new Options(args[0], args[1], args[2], args[3], args[4], args[5], args[6], Long.parseLong(args[7]));
        }

        Options withName(String other) {
            return new Options(other, url, user, password, brokers, topicPrefix, deadLetterFile, maxBatchBytes);
        }

        Options withMaxBatchBytes(long bytes) {
            return new Options(name, url, user, password, brokers, topicPrefix, deadLetterFile, bytes);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Options options = Options.from(args);
        InjectedErrors errors = new InjectedErrors();
        Reports tidings = new Reports(System.out);
        SimpleMeterRegistry metrics = new SimpleMeterRegistry();
        HikariDataSource pool =
                new Database(options.url(), options.user(), options.password()).pool(options.name(), CONNECTIONS);
        Relay relay = Relay.builder(errors.on(pool), new MoodyDestination(publisher(options), errors).asPublisher())
                .settings(settings(options))
                .housekeeping(HousekeepingSettings.builder()
                        .retention(Retention.ofPublished(Duration.ofMinutes(2)))
                        .schedule(Schedule.every(Duration.ofMinutes(1)))
                        .build())
                .listener(RelayListener.all(
                        List.of(errors.on(RelayListener.class, tidings), new RelayMetrics(metrics, "outbox"))))
                .build();
        Thread obeying = new Thread(() -> obey(errors), "campaign-orders");
        obeying.setDaemon(true);
        obeying.start();
        relay.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            relay.stop();
            pool.close();
            tidings.total((long) metrics.get("outbox.processed.count").counter().count(), (long)
                    metrics.get("outbox.dlq.count").counter().count());
        }));
        tidings.started();
        // All threads of a relay may be daemons.
        obeying.join();
    }

    private static void obey(InjectedErrors errors) {
        try (BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                errors.arm(line);
            }
        } catch (IOException e) {
            // As good as an end.
        }
        // Whoever started this process is gone.
        Runtime.getRuntime().halt(0);
    }

    private static RelaySettings settings(Options options) {
        return RelaySettings.builder()
                .name(options.name())
                .batchSize(200)
                .pollInterval(Duration.ofMillis(500))
                .retry(new Backoff(Duration.ofMillis(200), 2, Duration.ofSeconds(1), 0.1, 5))
                .circuit(new CircuitSettings(10, 5, 50, Duration.ofSeconds(1), 3))
                .deadLetters(
                        new DeadLetterSettings(DeadLetterSettings.Then.CONTINUE, Path.of(options.deadLetterFile())))
                .maxBatchBytes(options.maxBatchBytes())
                .maxEventBytes(options.maxBatchBytes())
                .drainTimeout(Duration.ofSeconds(5))
                .build();
    }

    /** Patience that fits the promise that all is well half a minute after a fault. */
    private static KafkaPublisher publisher(Options options) {
        return KafkaPublisher.builder(options.brokers())
                .routing(TopicRouting.byConvention().prefix(options.topicPrefix()))
                .property("request.timeout.ms", "4000")
                .property("delivery.timeout.ms", "10000")
                .property("max.block.ms", "4000")
                .property("socket.connection.setup.timeout.ms", "2000")
                .property("socket.connection.setup.timeout.max.ms", "4000")
                .property("reconnect.backoff.max.ms", "500")
                .property("buffer.memory", Integer.toString(8 << 20))
                .build();
    }
}
