package dev.postrider.bench.scenario;

import dev.postrider.bench.contender.BenchEvent.Shape;
import dev.postrider.bench.contender.ContenderName;
import dev.postrider.bench.contender.ContenderName.Kind;
import dev.postrider.bench.lab.ContenderProcess;
import dev.postrider.bench.lab.LiveConsumer;
import dev.postrider.bench.lab.Site;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** How long an event takes from its commit to a consumer. */
public final class Latency implements Scenario {
    static final Shape SHAPE = new Shape(1000, 1000);
    static final int WRITERS = 8;

    private static final Set<ContenderName> QUICKLY_LEFT_OUT =
            Set.of(ContenderName.LOG_EXACTLY_ONCE, ContenderName.CLAIM_DELETE);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Override
    public String name() {
        return "latency";
    }

    @Override
    public String description() {
        return "From the commit to the consumer, at a steady rate of transactions with one event each.";
    }

    @Override
    public void run(Session session) {
        List<Integer> rates = session.quick() ? List.of(200) : List.of(200, 1000);
        for (int rate : rates) {
            for (ContenderName contender : session.except(ContenderName.EMPTY, ContenderName.BARE_PRODUCER)) {
                if (session.quick() && QUICKLY_LEFT_OUT.contains(contender)) {
                    continue;
                }
                if (contender.kind() != Kind.LOG_PEER) {
                    measure(session, contender, rate, Delivering.SAME_PROCESS);
                }
                if (contender.kind() == Kind.LOG_PEER
                        || contender.kind() == Kind.POSTRIDER && !(session.quick() && contender != ContenderName.LOG)) {
                    measure(session, contender, rate, Delivering.ANOTHER_PROCESS);
                }
                if (contender.kind() == Kind.POSTRIDER && !(session.quick() && contender != ContenderName.LOG)) {
                    measure(session, contender, rate, Delivering.WOKEN_BY_WAL);
                }
            }
        }
    }

    /** Where the relay is, and what wakes it. */
    private enum Delivering {
        SAME_PROCESS("same process", Map.of(), Map.of()),
        ANOTHER_PROCESS("another process", Map.of("relay-elsewhere", "true"), Map.of()),
        /** Writers send no notifications. */
        WOKEN_BY_WAL(
                "another process, wake-up wal",
                Map.of("relay-elsewhere", "true", "wake-up", "wal"),
                Map.of("wake-up", "wal"));

        private final String label;
        private final Map<String, String> writer;
        private final Map<String, String> relay;

        Delivering(String label, Map<String, String> writer, Map<String, String> relay) {
            this.label = label;
            this.writer = writer;
            this.relay = relay;
        }
    }

    private void measure(Session session, ContenderName contender, int rate, Delivering delivering) {
        String where = delivering.label;
        String what = rate + " events/s, relay in " + where + ", ";
        session.at(name(), what, contender, Map.of("goal", "latency"), site -> {
            int segment = rate * session.size(3, 4);
            int warmUp = rate * session.size(4, 8);
            Percentiles[] measured = measure(site, rate, delivering, warmUp, segment, 3);
            for (Percentiles each : measured) {
                String variant = rate + "/s, " + where;
                session.figures().add(name(), variant, contender.label(), "p50 ms", each.p50());
                session.figures().add(name(), variant, contender.label(), "p99 ms", each.p99());
            }
        });
    }

    private static Percentiles[] measure(
            Site site, int rate, Delivering delivering, int warmUp, int segment, int segments) {
        ContenderProcess writer = site.process(delivering.writer);
        ContenderProcess relay = delivering == Delivering.SAME_PROCESS ? writer : site.process(delivering.relay);
        int all = warmUp + segment * segments;
        LiveConsumer consumer = site.consume(all);
        relay.startDelivery();
        writer.paced(0, warmUp, rate, WRITERS, SHAPE);
        consumer.await(warmUp, PATIENCE);
        // Statistics of a table that has just begun to fill are wrong for everybody.
        site.laboratory().execute(site.place(), "analyze");
        Percentiles[] measured = new Percentiles[segments];
        for (int i = 0; i < segments; i++) {
            int from = warmUp + i * segment;
            long[] commits = writer.paced(from, segment, rate, WRITERS, SHAPE);
            consumer.await(from + segment, PATIENCE);
            measured[i] = Percentiles.of(commits, from, consumer);
        }
        relay.stopDelivery();
        return measured;
    }
}
