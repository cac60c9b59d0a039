package dev.postrider.internal.spring.inbox;

import dev.postrider.Inbox;
import dev.postrider.housekeeping.Schedule;
import dev.postrider.internal.lifecycle.Service;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Deletes old marks of the inbox, on the schedule of housekeeping. Every instance does so: it costs one statement where another
 * has been faster. Time is the database's.
 */
public final class MarksPurge implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(MarksPurge.class);
    private static final Duration LOOK = Duration.ofSeconds(20);

    private final Supplier<List<Inbox>> inboxes;
    private final DataSource dataSource;
    private final Supplier<Instant> clock;
    private final Duration age;
    private final Schedule schedule;
    private @Nullable Service service;

    /** The service's thread. */
    private @Nullable Instant next;

    /**
     * @param inboxes those that are in use
     * @param clock the database's
     */
    public MarksPurge(
            Supplier<List<Inbox>> inboxes,
            DataSource dataSource,
            Supplier<Instant> clock,
            Duration age,
            Schedule schedule) {
        this.inboxes = inboxes;
        this.clock = clock;
        this.dataSource = dataSource;
        this.age = age;
        this.schedule = schedule;
    }

    @Override
    public synchronized void start() {
        if (service != null) {
            return;
        }
        next = null;
        Service fresh = Service.named("postrider-inbox-purge")
                .onFailure(Service.tellOnce(log, "Old marks of the inbox cannot be deleted", LOOK))
                .doing(this::pass);
        fresh.start();
        service = fresh;
    }

    private long pass() {
        Instant now = clock.get();
        Instant due = next;
        if (due != null && !now.isBefore(due)) {
            purge();
        }
        if (due == null || !now.isBefore(due)) {
            due = schedule.next(now);
            next = due;
        }
        Duration rest = Duration.between(now, due);
        return (rest.compareTo(LOOK) < 0 ? rest : LOOK).toNanos();
    }

    /** Marks of every consumer of this application. */
    public void purge() {
        long deleted = 0;
        for (Inbox inbox : inboxes.get()) {
            deleted += inbox.purge(dataSource, age);
        }
        log.debug("{} marks of the inbox were older than {} and are deleted", deleted, age);
    }

    @Override
    public synchronized void stop() {
        Service known = service;
        service = null;
        if (known != null) {
            known.askToStop();
            known.awaitEnd(Duration.ofSeconds(5));
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return service != null;
    }
}
