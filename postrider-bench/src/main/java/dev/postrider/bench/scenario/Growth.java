package dev.postrider.bench.scenario;

import dev.postrider.bench.contender.BenchEvent.Shape;
import dev.postrider.bench.contender.ContenderName;
import dev.postrider.bench.lab.Arrivals;
import dev.postrider.bench.lab.ContenderProcess;
import dev.postrider.bench.lab.Site;
import java.util.List;
import java.util.Map;

/** Whether anything gets slower when there is more of it. Compared within one process. */
public final class Growth implements Scenario {
    /** As they would be after a year: small, and never looked at again. Their number is one that nobody waits for. */
    private static final String KEPT_ROWS = """
            insert into outbox (event_type, aggregate_type, aggregate_id, payload, status, published_at)
            select 'PaymentMade', 'Payment', 'k' || n %% 10000, '{"seq":0,"text":"a row from long ago"}', '%s', %s
            from generate_series(1, %d) n
            """;

    private static final int WARM_UP = 50_000;

    @Override
    public String name() {
        return "growth";
    }

    @Override
    public String description() {
        return "Drain rates with published rows kept, with longer backlogs, more or fewer keys, more or fewer shards.";
    }

    @Override
    public void run(Session session) {
        for (ContenderName contender : session.among(List.of(ContenderName.LOG, ContenderName.CLAIM_KEEP))) {
            keptRows(session, contender);
            longBacklog(session, contender);
            for (int keys : List.of(1, 100, 10_000, 1_000_000)) {
                shape(session, contender, "keys=" + keys, new Shape(1000, keys), Map.of());
            }
        }
        for (ContenderName contender : session.among(List.of(ContenderName.LOG, ContenderName.LOG_EXACTLY_ONCE))) {
            for (int shards : List.of(1, 2, 4, 8, 16)) {
                Map<String, String> options = Map.of("shards", String.valueOf(shards));
                shape(session, contender, "shards=" + shards, Drain.KILOBYTE, options);
            }
        }
    }

    private void keptRows(Session session, ContenderName contender) {
        int many = session.size(500_000, 5_000_000);
        session.at(name(), many + " published rows kept, ", contender, Map.of(), site -> {
            ContenderProcess process = site.process();
            try (Arrivals arrivals = site.arrivals()) {
                long next = warmUp(site, process, arrivals);
                next = measure(session, contender, "kept=0", site, process, arrivals, next);
                keep(site, contender, many, process, arrivals);
                measure(session, contender, "kept=" + many, site, process, arrivals, next);
            }
        });
    }

    private static void keep(
            Site site, ContenderName contender, int many, ContenderProcess process, Arrivals arrivals) {
        boolean log = contender == ContenderName.LOG;
        String insert = KEPT_ROWS.formatted(log ? "LOG" : "PUBLISHED", log ? "null" : "clock_timestamp()", many);
        site.laboratory().execute(site.place(), insert);
        if (log) {
            Drain.settle(site);
            process.startDelivery();
            arrivals.skip(many);
            process.stopDelivery();
        }
    }

    private long measure(
            Session session,
            ContenderName contender,
            String variant,
            Site site,
            ContenderProcess process,
            Arrivals arrivals,
            long from) {
        int events = 50_000;
        long next = from;
        for (int run = 0; run < 3; run++) {
            double rate = Drain.drain(site, process, arrivals, next, events, Drain.KILOBYTE)
                    .rate();
            session.figures().add(name(), variant, contender.label(), Drain.RATE, rate);
            next += events;
        }
        return next;
    }

    private void longBacklog(Session session, ContenderName contender) {
        int few = 20_000;
        int many = session.size(200_000, 2_000_000);
        session.at(name(), "a backlog of " + many + ", ", contender, Map.of(), site -> {
            ContenderProcess process = site.process();
            try (Arrivals arrivals = site.arrivals()) {
                long next = warmUp(site, process, arrivals);
                for (int run = 0; run < 5; run++) {
                    double rate = Drain.drain(site, process, arrivals, next, few, Drain.KILOBYTE)
                            .rate();
                    session.figures().add(name(), "backlog=" + few, contender.label(), Drain.RATE, rate);
                    next += few;
                }
                double rate = Drain.drain(site, process, arrivals, next, many, Drain.KILOBYTE)
                        .rate();
                session.figures().add(name(), "backlog=" + many, contender.label(), Drain.RATE, rate);
            }
        });
    }

    private static int warmUp(Site site, ContenderProcess process, Arrivals arrivals) {
        Drain.drain(site, process, arrivals, 0, WARM_UP, Drain.KILOBYTE);
        return WARM_UP;
    }

    private void shape(
            Session session, ContenderName contender, String variant, Shape shape, Map<String, String> options) {
        session.at(name(), variant + ", ", contender, options, site -> {
            int events = 50_000;
            double rate =
                    Drain.drain(site, site.process(), WARM_UP, events, shape).rate();
            session.figures().add(name(), variant, contender.label(), Drain.RATE, rate);
        });
    }
}
