package dev.postrider.bench.contender.namastack;

import dev.postrider.bench.contender.BenchEvent;
import dev.postrider.bench.contender.Contender;
import dev.postrider.bench.contender.Place;
import dev.postrider.bench.contender.spring.PeerSettings;
import dev.postrider.bench.contender.spring.SpringPeer;
import io.namastack.outbox.Outbox;
import io.namastack.outbox.config.OutboxCoreSchedulingAutoConfiguration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * namastack-outbox on JDBC. Options: {@code threads}, {@code linger}, and any property of its application. The same
 * settings serve for draining and for latency: a batch counts keys, and all that waits of a key belongs to it.
 *
 * <p>Everything but its polling lives in one application context from {@link #prepare} on, so that its partitions are
 * assigned before they are needed; its polling lives in a child context from {@link #start} to {@link #stop}.
 */
public final class NamastackContender implements Contender {
    private final Place place;
    private final int threads;
    private @Nullable SpringPeer peer;
    private @Nullable Outbox outbox;
    private @Nullable AnnotationConfigApplicationContext polling;

    public NamastackContender(Place place) {
        this.place = place;
        this.threads = place.option("threads", 32);
    }

    @Override
    public void prepare() throws Exception {
        PeerSettings settings = new PeerSettings(threads + 24, place.option("linger", 0));
        peer = SpringPeer.open(place, settings, NamastackBeans.class, tuning());
        outbox = peer.bean(Outbox.class);
    }

    private Map<String, String> tuning() {
        return Map.of(
                "namastack.outbox.polling.trigger", "fixed",
                "namastack.outbox.polling.fixed.interval", "25ms",
                "namastack.outbox.polling.batch-size", "1000",
                "namastack.outbox.processing.delete-completed-records", "true",
                "namastack.outbox.processing.executor-core-pool-size", String.valueOf(threads),
                "namastack.outbox.processing.executor-max-pool-size", String.valueOf(threads),
                "namastack.outbox.processing.executor-concurrency-limit", String.valueOf(threads),
                "namastack.outbox.processing.shutdown-timeout", "5m",
                "spring.threads.virtual.enabled", "true");
    }

    @Override
    public void write(List<BenchEvent> events) {
        Outbox here = outbox;
        prepared().inTransaction(() -> {
            for (BenchEvent event : events) {
                here.schedule(event, event.key());
            }
        });
    }

    @Override
    public void start() {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.setParent(prepared().context());
        context.register(OutboxCoreSchedulingAutoConfiguration.class);
        context.refresh();
        polling = context;
    }

    /** Returns when the polling cycle that is under way has come to its end. */
    @Override
    public void stop() {
        if (polling != null) {
            polling.close();
            polling = null;
        }
    }

    private SpringPeer prepared() {
        if (peer == null) {
            throw new IllegalStateException("not prepared");
        }
        return peer;
    }

    @Override
    public List<String> settings() {
        List<String> settings = new ArrayList<>(prepared().settings());
        settings.add("its Kafka handler is written here in the way of namastack-outbox-kafka: send, wait, complete");
        return settings;
    }

    @Override
    public void close() {
        stop();
        if (peer != null) {
            peer.close();
        }
    }
}
