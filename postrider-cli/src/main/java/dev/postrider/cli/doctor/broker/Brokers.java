package dev.postrider.cli.doctor.broker;

import dev.postrider.cli.doctor.check.Amounts;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.Finding;
import java.util.List;

/** How many brokers there are. */
final class Brokers implements Check {
    private final Cluster cluster;

    Brokers(Cluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public List<Finding> examine() {
        int brokers = cluster.brokers().size();
        String text = "Kafka answers at " + cluster.servers() + " with " + Amounts.count(brokers, "broker") + " up.";
        return List.of(
                brokers > 2
                        ? Finding.ok(text)
                        : Finding.info(
                                text, "run three or more, so that one can be missing without loss or standstill"));
    }
}
