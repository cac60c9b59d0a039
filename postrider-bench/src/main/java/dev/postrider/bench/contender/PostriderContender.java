package dev.postrider.bench.contender;

import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.CommitNotifier;
import dev.postrider.OnPublished;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.Replication;
import dev.postrider.WakeUp;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.TopicRouting;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Postrider as a library. Options: {@code relay-elsewhere} if another process delivers; {@code wake-up} for what wakes it then;
 * {@code batch}; {@code linger}.
 */
final class PostriderContender implements Contender {
    private static final String BACKLOG = """
            insert into outbox (event_type, aggregate_type, aggregate_id, source, payload, content_hash)
            select ?, ?, e.key, 'bench', e.document::json, e.hash
            from unnest(?, ?, ?) with ordinality as e(key, document, hash, position)
            order by e.position
            """;

    private final Place place;
    private final ContentHash hash = ContentHash.sha256();
    private final OutboxLayout layout;
    private final OnPublished onPublished;
    private final HikariDataSource pool;
    private final Outbox outbox = Outbox.builder().source("bench").build();
    private @Nullable Relay relay;
    private @Nullable CommitNotifier notifier;

    PostriderContender(Place place, OutboxLayout layout, OnPublished onPublished) {
        this.place = place;
        this.layout = layout;
        this.onPublished = onPublished;
        this.pool = place.pool(24);
    }

    @Override
    public void prepare() throws Exception {
        Business.create(pool);
        OutboxSchema.migrate(pool, OutboxTable.DEFAULT, layout);
        if (place.has("relay-elsewhere") && !isWokenByWal()) {
            notifier = CommitNotifier.start(pool, OutboxTable.DEFAULT);
        }
    }

    @Override
    public void write(List<BenchEvent> events) throws Exception {
        PlainWrites.inTransaction(
                pool,
                connection -> outbox.write(
                        connection,
                        events.stream().map(PostriderContender::toEvent).toList()));
        Relay here = relay;
        if (here != null) {
            here.nudge();
        } else if (notifier != null) {
            notifier.committed();
        }
    }

    /** The rows that {@link Outbox} writes, in one statement: making them is not measured. */
    @Override
    public void backlog(List<BenchEvent> events) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement insert = connection.prepareStatement(BACKLOG)) {
            insert.setString(1, BenchEvent.TYPE);
            insert.setString(2, BenchEvent.AGGREGATE);
            insert.setArray(3, texts(connection, events, BenchEvent::key));
            insert.setArray(4, texts(connection, events, BenchEvent::document));
            insert.setArray(5, texts(connection, events, event -> hash.of(toEvent(event))));
            insert.executeUpdate();
        }
    }

    private static Array texts(Connection connection, List<BenchEvent> events, Function<BenchEvent, String> text)
            throws SQLException {
        return connection.createArrayOf("text", events.stream().map(text).toArray());
    }

    private static OutboxEvent toEvent(BenchEvent event) {
        return OutboxEvent.builder(BenchEvent.TYPE)
                .aggregate(BenchEvent.AGGREGATE, event.key())
                .json(event.document())
                .build();
    }

    @Override
    public void start() {
        KafkaPublisher.Builder publisher = KafkaPublisher.builder(place.bootstrapServers())
                .routing(TopicRouting.byConvention().route(BenchEvent.TYPE, place.topic()));
        if (place.options().containsKey("linger")) {
            publisher.property("linger.ms", place.options().get("linger"));
        }
        RelaySettings.Builder settings = RelaySettings.builder().name("bench").onPublished(onPublished);
        if (place.options().containsKey("batch")) {
            settings.batchSize(place.option("batch", 500));
        }
        Relay.Builder builder = Relay.builder(pool, publisher.build());
        if (isWokenByWal()) {
            OutboxSchema.publish(pool, OutboxTable.DEFAULT);
            settings.wakeUp(WakeUp.WAL);
            builder.replication(Replication.to(place.jdbcUrl(), place.user(), place.password()));
        }
        relay = builder.settings(settings.build()).build();
        relay.start();
    }

    private boolean isWokenByWal() {
        return "wal".equals(place.options().get("wake-up"));
    }

    @Override
    public void stop() {
        if (relay != null) {
            relay.stop();
            relay = null;
        }
    }

    @Override
    public List<String> settings() {
        List<String> settings = new ArrayList<>();
        settings.add(layout.describe());
        if (onPublished == OnPublished.DELETE) {
            settings.add("relay.on-published=delete");
        }
        if (isWokenByWal()) {
            settings.add("relay.wake-up=wal");
        }
        if (place.options().containsKey("batch")) {
            settings.add("relay.batch-size=" + place.options().get("batch"));
        }
        if (place.options().containsKey("linger")) {
            settings.add("linger.ms=" + place.options().get("linger"));
        }
        return settings;
    }

    @Override
    public void close() {
        stop();
        if (notifier != null) {
            notifier.close();
        }
        pool.close();
    }
}
