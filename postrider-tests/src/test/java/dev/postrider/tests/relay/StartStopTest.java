package dev.postrider.tests.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.CommitNotifier;
import dev.postrider.Delivery;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.alert.Alert;
import dev.postrider.alert.AlertRules;
import dev.postrider.alert.webhook.WebhookChannel;
import dev.postrider.alert.webhook.WebhookFormat;
import dev.postrider.devservices.DevKafka;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.internal.alert.AlertMonitor;
import dev.postrider.internal.housekeeping.Housekeeper;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.kafka.consume.ConsumerSettings;
import dev.postrider.kafka.consume.KafkaEventConsumer;
import dev.postrider.publish.Publisher;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestTopics;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Everything that has threads of its own, started and stopped in every order. */
class StartStopTest {
    private static final String NAME = "hasty";
    private static TestDatabase claims;
    private static TestDatabase log;
    private static TestDatabase exactlyOnce;
    private static final TestTopics topics = new TestTopics("hasty");

    /** What can be started and stopped. */
    private interface Startable {
        void start() throws Exception;

        void stop();

        static Startable of(Relay relay) {
            return new Startable() {
                @Override
                public void start() {
                    relay.start();
                }

                @Override
                public void stop() {
                    relay.stop();
                }
            };
        }
    }

    private enum Kind {
        RELAY_OF_CLAIMS {
            @Override
            Startable make() {
                return Startable.of(relay(claims, RecordingPublisher.acceptingAll()));
            }
        },
        RELAY_OF_A_LOG {
            @Override
            Startable make() {
                return Startable.of(relay(log, RecordingPublisher.acceptingAll()));
            }
        },
        RELAY_EXACTLY_ONCE {
            @Override
            Startable make() {
                return Startable.of(relay(
                        exactlyOnce,
                        KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                                .routing(topics.routing())
                                .build()));
            }
        },
        HOUSEKEEPER {
            @Override
            Startable make() throws SQLException {
                AlertMonitor monitor = new AlertMonitor(NAME, "outbox", AlertRules.defaults(), List.of());
                try (Connection connection = claims.dataSource().getConnection()) {
                    Housekeeper housekeeper = new Housekeeper(
                            NAME,
                            claims.dataSource(),
                            Databases.of(connection).outboxStore(OutboxTable.DEFAULT),
                            null,
                            HousekeepingSettings.defaults(),
                            monitor);
                    return of(housekeeper::start, housekeeper::close);
                }
            }
        },
        MONITOR {
            @Override
            Startable make() {
                AlertMonitor monitor = new AlertMonitor(NAME, "outbox", AlertRules.defaults(), List.of());
                return of(monitor::start, monitor::close);
            }
        },
        WEBHOOK {
            @Override
            Startable make() {
                // Nobody listens there.
                WebhookChannel channel = new WebhookChannel(
                        URI.create("http://127.0.0.1:1/" + NAME), WebhookFormat.JSON, Duration.ofMillis(300), 10);
                Alert alert = new Alert("rule", Alert.Severity.CRITICAL, "title", "text", Map.of(), false);
                return of(() -> channel.send(alert), channel::close);
            }
        },
        NOTIFIER {
            @Override
            Startable make() {
                List<CommitNotifier> notifiers = new ArrayList<>();
                return of(
                        () -> {
                            synchronized (notifiers) {
                                notifiers.add(CommitNotifier.start(claims.dataSource(), OutboxTable.parse(NAME)));
                            }
                        },
                        () -> {
                            synchronized (notifiers) {
                                notifiers.forEach(CommitNotifier::close);
                            }
                        });
            }
        },
        CONSUMER {
            @Override
            Startable make() {
                KafkaEventConsumer consumer = KafkaEventConsumer.builder(
                                DevKafka.shared().bootstrapServers(), "hasty")
                        .topics(topics.prefix() + "order-events")
                        .handler(event -> {})
                        .settings(ConsumerSettings.builder().name(NAME).build())
                        .build();
                return of(consumer::start, consumer::stop);
            }
        };

        abstract Startable make() throws Exception;

        private static Startable of(Runnable start, Runnable stop) {
            return new Startable() {
                @Override
                public void start() {
                    start.run();
                }

                @Override
                public void stop() {
                    stop.run();
                }
            };
        }

        private static Relay relay(TestDatabase database, Publisher publisher) {
            return Relay.builder(database.dataSource(), publisher)
                    .settings(RelaySettings.builder()
                            .name(NAME)
                            .drainTimeout(Duration.ofSeconds(1))
                            .build())
                    .alerts(AlertRules.defaults(), List.of())
                    .build();
        }
    }

    @BeforeAll
    static void prepare() {
        claims = TestDatabase.withOutbox();
        log = TestDatabase.withOutbox(OutboxLayout.log(2));
        exactlyOnce = TestDatabase.withOutbox(OutboxLayout.log(2).delivering(Delivery.EXACTLY_ONCE));
        topics.create("order-events", 1);
    }

    @AfterAll
    static void close() {
        claims.close();
        log.close();
        exactlyOnce.close();
    }

    @ParameterizedTest
    @EnumSource
    void whateverTheOrderNoThreadIsLeftBehind(Kind kind) throws Exception {
        Startable unstarted = kind.make();
        unstarted.stop();
        unstarted.stop();

        Startable usual = kind.make();
        usual.start();
        usual.stop();
        usual.stop();

        Startable twice = kind.make();
        twice.start();
        try {
            twice.start();
        } catch (PostriderException | IllegalStateException e) {
            // Once is enough.
        }
        twice.stop();

        for (int round = 0; round < 3; round++) {
            Startable hurried = kind.make();
            List<CompletableFuture<?>> all = new ArrayList<>();
            CyclicBarrier together = new CyclicBarrier(3);
            all.add(atOnce(together, hurried::start));
            all.add(atOnce(together, hurried::stop));
            all.add(atOnce(together, hurried::stop));
            all.forEach(one -> one.exceptionally(any -> null).join());
            hurried.stop();
        }

        await().untilAsserted(() -> assertThat(threads()).isEmpty());
    }

    private interface Step {
        void run() throws Exception;
    }

    private static CompletableFuture<Void> atOnce(CyclicBarrier together, Step step) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                together.await();
                step.run();
                done.complete(null);
            } catch (Exception | Error e) {
                done.completeExceptionally(e);
            }
        });
        thread.start();
        return done;
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(Thread::isAlive)
                .map(Thread::getName)
                .filter(name -> name.startsWith("postrider-" + NAME)
                        || name.startsWith("postrider-webhook-127")
                        || name.startsWith("postrider-kafka-flush"))
                .toList();
    }
}
