package dev.postrider.tests.campaign;

import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

/** The relays of one configuration, and whoever starts those again that end by themselves. */
final class Relays implements AutoCloseable {
    private final List<Berth> berths;
    private final ScheduledExecutorService supervisor = Executors.newSingleThreadScheduledExecutor();

    /** One relay at a time is in it; one fault at a time is done to it. */
    record Berth(RelayChild relay, ReentrantLock fault) {}

    Relays(int count, CampaignRelay.Options options, Told told, Path directory) {
        this.berths = IntStream.rangeClosed(1, count)
                .mapToObj(number -> {
                    String name = "relay-" + number;
                    return new Berth(
                            new RelayChild(options.withName(name), told, directory.resolve(name + ".log")),
                            new ReentrantLock());
                })
                .toList();
    }

    void start() {
        all().forEach(RelayChild::start);
        supervisor.scheduleWithFixedDelay(() -> all().forEach(RelayChild::supervise), 300, 300, TimeUnit.MILLISECONDS);
    }

    List<Berth> berths() {
        return berths;
    }

    List<RelayChild> all() {
        return berths.stream().map(Berth::relay).toList();
    }

    Berth any(Random random) {
        return berths.get(random.nextInt(berths.size()));
    }

    boolean areReady() {
        return all().stream().allMatch(RelayChild::isReady);
    }

    int exits() {
        return all().stream().mapToInt(RelayChild::exits).sum();
    }

    @Override
    public void close() {
        supervisor.shutdownNow();
        all().forEach(RelayChild::kill);
    }
}
