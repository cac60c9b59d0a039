package dev.postrider.bench.scenario;

import dev.postrider.bench.contender.ContenderName;
import dev.postrider.bench.lab.ContenderProcess;
import java.util.Map;

/** What the event costs the transaction that writes it. */
public final class WriteCost implements Scenario {
    private static final int WRITERS = 8;

    @Override
    public String name() {
        return "write";
    }

    @Override
    public String description() {
        return "Transactions of eight writers with one event beside the business row, against those without; nobody"
                + " delivers meanwhile.";
    }

    @Override
    public void run(Session session) {
        double seconds = session.quick() ? 1.5 : 3;
        for (ContenderName contender : session.except(
                ContenderName.PRODUCER,
                ContenderName.BARE_PRODUCER,
                ContenderName.LOG_EXACTLY_ONCE,
                ContenderName.CLAIM_DELETE)) {
            session.at(name(), "", contender, Map.of(), site -> {
                ContenderProcess process = site.process();
                process.flatOut(WRITERS, seconds / 2, 0, Latency.SHAPE);
                process.flatOut(WRITERS, seconds / 2, 1, Latency.SHAPE);
                for (int run = 0; run < Math.max(3, session.runs()); run++) {
                    double without = process.flatOut(WRITERS, seconds, 0, Latency.SHAPE);
                    double with = process.flatOut(WRITERS, seconds, 1, Latency.SHAPE);
                    String label = contender.label();
                    session.figures().add(name(), "without event", label, "transactions/s", without);
                    session.figures().add(name(), "with event", label, "transactions/s", with);
                    session.figures().add(name(), "", label, "with ÷ without", with / without);
                }
            });
        }
    }
}
