package dev.postrider.cli.demo;

import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxStatus;
import dev.postrider.PostriderException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** The relays of the demonstration. */
final class RelayFleet implements Deliverers {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);

    private final List<RelayProcess> relays;

    RelayFleet(int instances, Map<String, String> environment, Consumer<String> log) {
        this.relays = IntStream.rangeClosed(1, instances)
                .mapToObj(number -> new RelayProcess("relay-" + number, environment, log))
                .toList();
    }

    /** Waits until each has its lease. */
    @Override
    public void start(DataSource dataSource) throws InterruptedException {
        relays.forEach(RelayProcess::start);
        long deadline = System.nanoTime() + START_LIMIT.toNanos();
        while (alive(dataSource) < relays.size()) {
            check();
            if (System.nanoTime() - deadline > 0) {
                throw new PostriderException("The relays are not ready after " + START_LIMIT.toSeconds() + " s.");
            }
            Thread.sleep(100);
        }
    }

    private static long alive(DataSource dataSource) {
        return OutboxAdmin.builder(dataSource).build().status().relays().stream()
                .filter(OutboxStatus.RelayLease::alive)
                .count();
    }

    private RelayProcess get(String name) {
        return relays.stream()
                .filter(relay -> relay.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Override
    public List<String> names() {
        return relays.stream().map(RelayProcess::name).toList();
    }

    @Override
    public void kill(String name) {
        get(name).kill();
    }

    @Override
    public void startAgain(String name) {
        get(name).start();
    }

    @Override
    public boolean pause(String name, Duration length) throws InterruptedException {
        return get(name).pause(length);
    }

    @Override
    public void check() {
        relays.forEach(RelayProcess::check);
    }

    @Override
    public void stop() throws InterruptedException {
        for (RelayProcess relay : relays) {
            relay.stop();
        }
    }

    @Override
    public void close() {
        relays.forEach(RelayProcess::close);
    }
}
