package dev.postrider.tests.campaign;

import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevMariaDb;
import dev.postrider.devservices.DevPostgres;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Servers of the campaign's own, since they are crashed. Relays reach them over wires, everybody else directly. */
final class CampaignServers implements AutoCloseable {
    static final int PARTITIONS = 6;

    /** Large events fit, rejected ones do not. */
    static final int MAX_MESSAGE_BYTES = 500_000;

    private final Wire brokerWire = new Wire();
    private final DevKafka kafka;
    private @Nullable Database postgres;
    private @Nullable Database mariaDb;

    /** A database server that can be crashed. */
    record Database(
            Wire wire,
            int port,
            String user,
            String password,
            Creation creation,
            Runnable crash,
            AutoCloseable server) {
        interface Creation {
            String create(String name);
        }
    }

    /** An empty database on a server. */
    record Place(String directUrl, String wiredUrl, String user, String password, Wire wire, Runnable crash) {}

    CampaignServers() {
        int behind = Ports.free();
        this.kafka = DevKafka.builder()
                .behindProxy(behind, brokerWire.port())
                // Of a transaction that a killed relay has left open, others are told soon.
                .setting("transaction.abort.timed.out.transaction.cleanup.interval.ms", "1000")
                .setting("quota.window.num", "3")
                .start();
        brokerWire.to(behind);
    }

    synchronized Place place(Configuration configuration, String name) {
        Database database = configuration.isMariaDb() ? mariaDb() : postgres();
        String directUrl = database.creation().create(name);
        String wiredUrl = directUrl.replace(
                ":" + database.port() + "/", ":" + database.wire().port() + "/");
        return new Place(directUrl, wiredUrl, database.user(), database.password(), database.wire(), database.crash());
    }

    private Database postgres() {
        if (postgres == null) {
            DevPostgres server = DevPostgres.builder()
                    .setting("max_connections", "300")
                    .setting("log_min_messages", "fatal")
                    .start();
            Runnable crash = () -> {
                server.kill();
                server.restart();
            };
            postgres = new Database(
                    new Wire().to(server.port()),
                    server.port(),
                    server.user(),
                    server.password(),
                    server::createDatabase,
                    crash,
                    server);
        }
        return postgres;
    }

    private Database mariaDb() {
        if (mariaDb == null) {
            DevMariaDb server = DevMariaDb.builder()
                    .setting("max_connections", "300")
                    .setting("max_allowed_packet", "64M")
                    .start();
            Runnable crash = () -> {
                server.kill();
                server.restart();
            };
            mariaDb = new Database(
                    new Wire().to(server.port()),
                    server.port(),
                    server.user(),
                    server.password(),
                    server::createDatabase,
                    crash,
                    server);
        }
        return mariaDb;
    }

    DevKafka kafka() {
        return kafka;
    }

    Wire brokerWire() {
        return brokerWire;
    }

    String wiredBroker() {
        return "127.0.0.1:" + brokerWire.port();
    }

    Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
    }

    /** Topics under a prefix, and their partitions. */
    List<TopicPartition> createTopics(String prefix, String... topics) throws ExecutionException, InterruptedException {
        Map<String, String> settings = new HashMap<>();
        settings.put("max.message.bytes", Integer.toString(MAX_MESSAGE_BYTES));
        // A long campaign need not keep what has been read long ago.
        settings.put("segment.bytes", Integer.toString(16 << 20));
        settings.put("retention.bytes", Integer.toString(64 << 20));
        try (Admin admin = admin()) {
            admin.createTopics(List.of(topics).stream()
                            .map(topic -> new NewTopic(prefix + topic, PARTITIONS, (short) 1).configs(settings))
                            .toList())
                    .all()
                    .get();
        }
        return List.of(topics).stream()
                .flatMap(topic -> IntStream.range(0, PARTITIONS).mapToObj(n -> new TopicPartition(prefix + topic, n)))
                .toList();
    }

    @Override
    public void close() {
        for (Database database : new @Nullable Database[] {postgres, mariaDb}) {
            if (database != null) {
                database.wire().close();
                end(database.server());
            }
        }
        brokerWire.close();
        kafka.close();
    }

    private static void end(AutoCloseable server) {
        try {
            server.close();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
