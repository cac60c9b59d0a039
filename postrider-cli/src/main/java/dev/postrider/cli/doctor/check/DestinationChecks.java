package dev.postrider.cli.doctor.check;

import java.util.Map;

/** What the doctor looks at in a destination, after the outbox. */
@FunctionalInterface
public interface DestinationChecks {

    /**
     * May look at the destination already. One that cannot be reached is a check that says so.
     *
     * @return by name
     */
    Map<String, Check> of(OutboxTraffic outbox, Limits limits) throws InterruptedException;
}
