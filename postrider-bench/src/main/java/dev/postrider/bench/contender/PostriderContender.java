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
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.TopicRouting;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Postrider as a library. Options: {@code relay-elsewhere} if another process delivers; {@code batch}.
 */
final class PostriderContender implements Contender {
    private final Place place;
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
        if (place.has("relay-elsewhere")) {
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

    /** A thousand in a transaction: it is not measured. */
    @Override
    public void backlog(List<BenchEvent> events) throws Exception {
        for (int from = 0; from < events.size(); from += 1000) {
            write(events.subList(from, Math.min(events.size(), from + 1000)));
        }
    }

    private static OutboxEvent toEvent(BenchEvent event) {
        return OutboxEvent.builder(BenchEvent.TYPE)
                .aggregate(BenchEvent.AGGREGATE, event.key())
                .json(event.document())
                .build();
    }

    @Override
    public void start() {
        KafkaPublisher publisher = KafkaPublisher.builder(place.bootstrapServers())
                .routing(TopicRouting.byConvention().route(BenchEvent.TYPE, place.topic()))
                .build();
        RelaySettings.Builder settings = RelaySettings.builder().name("bench").onPublished(onPublished);
        if (place.options().containsKey("batch")) {
            settings.batchSize(place.option("batch", 500));
        }
        relay = Relay.builder(pool, publisher).settings(settings.build()).build();
        relay.start();
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
        if (place.options().containsKey("batch")) {
            settings.add("relay.batch-size=" + place.options().get("batch"));
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
