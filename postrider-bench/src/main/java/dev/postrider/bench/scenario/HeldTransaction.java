package dev.postrider.bench.scenario;

import dev.postrider.bench.contender.ContenderName;
import dev.postrider.bench.lab.ContenderProcess;
import dev.postrider.bench.lab.LiveConsumer;
import dev.postrider.bench.lab.Site;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Whether a transaction that somebody forgot to end slows the others. */
public final class HeldTransaction implements Scenario {
    static final String HELD = "held open";
    static final String NOT_HELD = "none open";

    private static final int RATE = 800;

    @Override
    public String name() {
        return "held";
    }

    @Override
    public String description() {
        return "800 events/s, while a transaction that has written stays open, and without.";
    }

    @Override
    public void run(Session session) {
        for (ContenderName contender : session.among(List.of(ContenderName.LOG, ContenderName.CLAIM_KEEP))) {
            for (boolean held : new boolean[] {false, true}) {
                String variant = held ? HELD : NOT_HELD;
                session.at(
                        name(), variant + ", ", contender, Map.of(), site -> once(session, contender, site, variant));
            }
        }
    }

    private void once(Session session, ContenderName contender, Site site, String variant) throws Exception {
        int warmUp = RATE * 5;
        int events = RATE * session.size(60, 180);
        ContenderProcess process = site.process();
        LiveConsumer consumer = site.consume(warmUp + events);
        process.startDelivery();
        process.paced(0, warmUp, RATE, Latency.WRITERS, Latency.SHAPE);
        consumer.await(warmUp, Duration.ofSeconds(30));
        Connection holder = variant.equals(HELD) ? hold(site) : null;
        long[] commits = process.paced(warmUp, events, RATE, Latency.WRITERS, Latency.SHAPE);
        consumer.await(warmUp + events, Duration.ofSeconds(60));
        if (holder != null) {
            holder.close();
        }
        // The last third: what gets slower gets slower with time.
        int skipped = events * 2 / 3;
        long[] last = Arrays.copyOfRange(commits, skipped, events);
        Percentiles percentiles = Percentiles.of(last, warmUp + skipped, consumer);
        double seconds = (consumer.arrival(warmUp + events - 1) - consumer.arrival(warmUp)) / 1e9;
        String label = contender.label();
        session.figures().add(name(), variant, label, "events/s", (events - 1) / seconds);
        session.figures().add(name(), variant, label, "p50 ms", percentiles.p50());
        session.figures().add(name(), variant, label, "p99 ms", percentiles.p99());
        process.stopDelivery();
    }

    private static Connection hold(Site site) throws Exception {
        Connection connection = site.laboratory().connect(site.place());
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("insert into payment (account, amount) values ('forgotten', 1)");
        }
        return connection;
    }
}
