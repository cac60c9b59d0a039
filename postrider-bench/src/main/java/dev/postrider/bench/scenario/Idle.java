package dev.postrider.bench.scenario;

import dev.postrider.bench.contender.ContenderName;
import dev.postrider.bench.contender.Order.Answer;
import dev.postrider.bench.lab.ContenderProcess;
import dev.postrider.bench.lab.Site;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What a relay costs while there is nothing to do. */
public final class Idle implements Scenario {
    @Override
    public String name() {
        return "idle";
    }

    @Override
    public String description() {
        return "A relay with nothing to deliver: processor time and statements.";
    }

    @Override
    public void run(Session session) {
        for (ContenderName contender :
                session.except(ContenderName.EMPTY, ContenderName.PRODUCER, ContenderName.BARE_PRODUCER)) {
            session.at(name(), "", contender, Map.of(), site -> once(session, contender, site));
        }
    }

    private void once(Session session, ContenderName contender, Site site) throws InterruptedException {
        int seconds = session.size(10, 20);
        ContenderProcess process = site.process();
        process.backlog(0, 200, Latency.SHAPE);
        process.startDelivery();
        // Until what is done at the beginning only is done, and the compiler has finished.
        TimeUnit.SECONDS.sleep(session.size(8, 12));
        Answer before = process.usage();
        long statements = site.laboratory().statements(site.place());
        long begin = System.nanoTime();
        TimeUnit.SECONDS.sleep(seconds);
        double took = (System.nanoTime() - begin) / 1e9;
        long asked = site.laboratory().statements(site.place()) - statements;
        Answer after = process.usage();
        String label = contender.label();
        session.figures().add(name(), "", label, "% of a core", (after.cpuNanos() - before.cpuNanos()) / took / 1e7);
        session.figures().add(name(), "", label, "statements/s", asked / took);
    }
}
