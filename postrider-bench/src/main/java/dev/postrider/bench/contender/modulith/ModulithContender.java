package dev.postrider.bench.contender.modulith;

import dev.postrider.bench.contender.BenchEvent;
import dev.postrider.bench.contender.Contender;
import dev.postrider.bench.contender.Place;
import dev.postrider.bench.contender.spring.PeerSettings;
import dev.postrider.bench.contender.spring.SpringPeer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.modulith.events.core.EventPublicationRepository;
import org.springframework.modulith.events.core.PublicationTargetIdentifier;
import org.springframework.modulith.events.core.TargetEventPublication;
import org.springframework.transaction.event.TransactionalApplicationListener;

/**
 * Spring Modulith with its events on JDBC and externalized to Kafka. Options: {@code threads}, {@code linger}, and any
 * property of its application. The same settings serve for draining and for latency.
 *
 * <p>Modulith has no relay that could be off: it sends what it has published, after commit, from the writer's process.
 * What is written before {@link #start} is therefore written as a process would leave it behind that ended right after
 * its commit: the rows of the registry alone. {@link #start} resubmits them, from a thread of its own; what is written
 * meanwhile goes out after its commit, and what the resubmission finds of it goes out twice.
 */
public final class ModulithContender implements Contender {
    private final Place place;
    private final int threads;
    private @Nullable SpringPeer peer;
    private @Nullable PublicationTargetIdentifier externalizer;
    private volatile boolean started;
    private @Nullable Thread resubmission;

    public ModulithContender(Place place) {
        this.place = place;
        this.threads = place.option("threads", 32);
    }

    @Override
    public void prepare() throws Exception {
        PeerSettings settings = new PeerSettings(threads + 24, place.option("linger", 0));
        peer = SpringPeer.open(place, settings, ModulithBeans.class, tuning());
        externalizer = externalizer((AbstractApplicationContext) peer.context());
    }

    /** The one listener that runs after a commit. */
    private static PublicationTargetIdentifier externalizer(AbstractApplicationContext context) {
        return context.getApplicationListeners().stream()
                .filter(TransactionalApplicationListener.class::isInstance)
                .map(listener -> ((TransactionalApplicationListener<?>) listener).getListenerId())
                .map(PublicationTargetIdentifier::of)
                .findAny()
                .orElseThrow();
    }

    private Map<String, String> tuning() {
        return Map.of(
                "spring.modulith.events.completion-mode", "delete",
                "spring.modulith.events.jdbc.schema-initialization.enabled", "true",
                "spring.task.execution.pool.core-size", String.valueOf(threads),
                "spring.task.execution.simple.concurrency-limit", String.valueOf(threads),
                "spring.threads.virtual.enabled", "true");
    }

    @Override
    public void write(List<BenchEvent> events) {
        SpringPeer here = prepared();
        if (started) {
            ApplicationEventPublisher publisher = here.context();
            here.inTransaction(() -> events.forEach(publisher::publishEvent));
        } else {
            here.inTransaction(() -> register(events));
        }
    }

    private void register(List<BenchEvent> events) {
        EventPublicationRepository repository = prepared().bean(EventPublicationRepository.class);
        for (BenchEvent event : events) {
            repository.create(TargetEventPublication.of(event, externalizer, Instant.now()));
        }
    }

    @Override
    public void start() {
        started = true;
        IncompleteEventPublications incomplete = prepared().bean(IncompleteEventPublications.class);
        resubmission = new Thread(
                () -> incomplete.resubmitIncompletePublications(publication -> started), "modulith-resubmission");
        resubmission.setDaemon(true);
        resubmission.start();
    }

    /** Returns when everything that was resubmitted or written before it has been sent. */
    @Override
    public void stop() throws InterruptedException {
        started = false;
        if (resubmission != null) {
            resubmission.join();
            resubmission = null;
            prepared().bean(InFlight.class).awaitNone();
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
        settings.add("its Kafka transport is written here in the way of spring-modulith-events-kafka");
        settings.add("backlog: rows of the registry, resubmitted by IncompleteEventPublications");
        return settings;
    }

    @Override
    public void close() {
        try {
            stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (peer != null) {
            peer.close();
        }
    }
}
