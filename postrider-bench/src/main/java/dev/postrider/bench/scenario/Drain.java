package dev.postrider.bench.scenario;

import dev.postrider.bench.contender.BenchEvent.Shape;
import dev.postrider.bench.contender.ContenderName;
import dev.postrider.bench.contender.ContenderName.Kind;
import dev.postrider.bench.contender.Order.Answer;
import dev.postrider.bench.lab.Arrivals;
import dev.postrider.bench.lab.Arrivals.Timeline;
import dev.postrider.bench.lab.ContenderProcess;
import dev.postrider.bench.lab.Site;
import java.time.Duration;
import java.util.Map;

/** How fast a backlog goes away, and what that costs. */
public final class Drain implements Scenario {
    static final String HEAP = "heap";
    static final String RATE = "events/s";
    static final Shape KILOBYTE = new Shape(1000, 10_000);

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Override
    public String name() {
        return "drain";
    }

    @Override
    public String description() {
        return "Deliver a backlog of 1 KB events with 10 000 keys.";
    }

    @Override
    public void run(Session session) {
        for (int run = 1; run <= session.runs(); run++) {
            for (ContenderName contender : session.except(ContenderName.EMPTY)) {
                if (session.quick() && contender == ContenderName.BARE_PRODUCER) {
                    continue;
                }
                String what = "run " + run + " of " + session.runs() + ", ";
                session.at(name(), what, contender, Map.of(), site -> once(session, contender, site));
            }
        }
    }

    private void once(Session session, ContenderName contender, Site site) {
        int events = events(session, contender);
        ContenderProcess process = site.process();
        ContenderProcess writer = contender.kind() == Kind.POSTRIDER ? site.process() : process;
        session.figures().settings(contender.label(), process.settings());
        int round = events * 2 / 5;
        int rounds = warmUps(session, contender);
        int warmUp = rounds * round;
        Timeline timeline;
        Answer before;
        Answer after;
        try (Arrivals arrivals = site.arrivals()) {
            for (int from = 0; from < warmUp; from += round) {
                writer.backlog(from, round, KILOBYTE);
                process.startDelivery();
                arrivals.await(from, round, PATIENCE);
                process.stopDelivery();
            }
            writer.backlog(warmUp, events, KILOBYTE);
            settle(site);
            before = process.usage();
            process.startDelivery();
            timeline = arrivals.await(warmUp, events, PATIENCE);
            after = process.usage();
            process.stopDelivery();
        }
        String label = contender.label();
        session.figures().add(name(), "", label, RATE, timeline.rate());
        session.figures().add(name(), "", label, "duplicates", timeline.duplicates());
        session.figures().add(name(), "", label, "out of order", timeline.reordered());
        session.figures().add(HEAP, "", label, "live MB", after.peakLiveBytes() / 1e6);
        double allocated = after.allocatedBytes() - before.allocatedBytes();
        session.figures().add(HEAP, "", label, "KB allocated per event", allocated / events / 1e3);
        double busy = after.cpuNanos() - before.cpuNanos();
        session.figures().add(HEAP, "", label, "µs of processor per event", busy / events / 1e3);
    }

    /** Enough that it takes seconds, and not so much that the slow ones take minutes. */
    private static int events(Session session, ContenderName contender) {
        return switch (contender.kind()) {
            case LIMIT -> session.size(100_000, 200_000);
            case POSTRIDER -> session.size(40_000, 100_000);
            case LOG_PEER -> session.size(40_000, 100_000);
            case POLLING_PEER -> session.size(1_500, 3_000);
        };
    }

    /**
     * Beginning anew makes the compiler throw away much of what it has compiled, until it has seen that happen: after one
     * backlog it took two fifths of the processors' time while the next was delivered, after five a tenth.
     */
    private static int warmUps(Session session, ContenderName contender) {
        return contender.kind() == Kind.POLLING_PEER ? 2 : session.size(3, 5);
    }

    /** A first backlog to get warm, and one that is measured. */
    static Timeline drain(Site site, ContenderProcess process, int warmUp, int events, Shape shape) {
        try (Arrivals arrivals = site.arrivals()) {
            process.backlog(0, warmUp, shape);
            process.startDelivery();
            arrivals.await(0, warmUp, PATIENCE);
            process.stopDelivery();
            return drain(site, process, arrivals, warmUp, events, shape);
        }
    }

    static Timeline drain(Site site, ContenderProcess process, Arrivals arrivals, long from, int events, Shape shape) {
        process.backlog(from, events, shape);
        settle(site);
        process.startDelivery();
        Timeline timeline = arrivals.await(from, events, PATIENCE);
        process.stopDelivery();
        return timeline;
    }

    /** What making a backlog leaves to be written by the database must not slow the one who delivers it. */
    static void settle(Site site) {
        site.laboratory().execute(site.place(), "vacuum analyze");
        site.laboratory().execute(site.place(), "checkpoint");
    }
}
