package dev.postrider.internal.alert;

import dev.postrider.OutboxEvent;
import dev.postrider.OutboxPause;
import dev.postrider.RelayListener;
import dev.postrider.alert.Alert;
import dev.postrider.alert.AlertChannel;
import dev.postrider.alert.AlertRules;
import dev.postrider.alert.Levels;
import dev.postrider.internal.lifecycle.Service;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens to a relay, decides by rules what is worth an alert, and tells every channel.
 *
 * <p>Callbacks come on the relay's thread and only count; deciding and telling is done by a daemon
 * thread of its own: at once for what is told at once, every interval for the rest.
 *
 * <p>Each instance tells what it saw itself. Levels are the same for all instances, so a housekeeper
 * lets only one look at them, through {@link #levels}. Without a housekeeper they are what the relay
 * counts now and then.
 */
public final class AlertMonitor implements RelayListener, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(AlertMonitor.class);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final String relay;
    private final AlertRules rules;
    private final List<AlertChannel> channels;
    private final Wording wording;
    private final Service service;

    private final Singles dead;
    private final Singles integrity;

    // ---- told by the relay since the last look; guarded by this
    private final Deque<Alert> urgent = new ArrayDeque<>();
    private long failures;
    private long recovered;
    private long failOvers;
    private long inFile;
    private boolean circuitOpen;
    private long unanswered;
    private Duration oldestUnanswered = Duration.ZERO;
    private Map<String, String> blocked = Map.of();
    private @Nullable Levels counted;
    private boolean levelsFromHousekeeper;

    // ---- what was told; only the monitor's thread
    private final LevelWatch ownLevels;
    private final Map<String, Instant> toldAt = new HashMap<>();
    private Instant nextLook = Instant.MIN;
    private @Nullable Instant failuresSince;

    /**
     * @param relay name of the relay it listens to
     * @param outbox name of the outbox
     * @param channels closed with the monitor
     */
    public AlertMonitor(String relay, String outbox, AlertRules rules, List<AlertChannel> channels) {
        this.relay = relay;
        this.rules = rules;
        this.channels = List.copyOf(channels);
        this.wording = new Wording(relay, outbox);
        this.dead = new Singles(rules.deadLetters(), rules.singlesPerMinute());
        this.integrity = new Singles(rules.integrityFailures(), rules.singlesPerMinute());
        this.ownLevels = new LevelWatch(rules.coolDown());
        this.service = Service.named("postrider-" + relay + "-alert")
                .onFailure(Service.tellOnce(log, "[" + relay + "] alerts are not decided about", PAUSE))
                .doing(() -> {
                    runOnce(now());
                    return nanosUntilNextLook();
                });
    }

    public AlertRules rules() {
        return rules;
    }

    public void start() {
        service.start();
    }

    // ---- told by the relay

    @Override
    public synchronized void failed(OutboxEvent event, String error, boolean counts) {
        failures++;
    }

    @Override
    public void dead(long id, String error) {
        dead.add(new Singles.Single(id, error));
        wake();
    }

    @Override
    public void integrityFailure(long id) {
        integrity.add(new Singles.Single(id, ""));
        wake();
    }

    @Override
    public synchronized void deadLetterInFile(long id) {
        inFile++;
    }

    /** Never summed up: the alert may be the only place that still has the event. */
    @Override
    public synchronized void deadLetterUnsaved(long id, String row) {
        urgent.add(wording.unsaved(id, row));
        wake();
    }

    @Override
    public synchronized void blocked(Map<String, String> destinations) {
        blocked = Map.copyOf(destinations);
        wake();
    }

    /** What is half open is not closed. */
    @Override
    public synchronized void circuitChanged(String state) {
        circuitOpen = !state.equals("closed");
        wake();
    }

    @Override
    public synchronized void unanswered(long events, Duration oldest) {
        boolean changed = events > rules.unanswered() != unanswered > rules.unanswered();
        unanswered = events;
        oldestUnanswered = oldest;
        if (changed) {
            wake();
        }
    }

    @Override
    public synchronized void databaseFailedOver(int shard, int fromTimeline, int toTimeline) {
        failOvers++;
    }

    @Override
    public synchronized void recovered(int events) {
        recovered += events;
    }

    @Override
    public synchronized void backlog(long count, Duration oldest) {
        counted = new Levels(count, 0, oldest);
    }

    private void wake() {
        service.wake();
    }

    // ---- told by the housekeeper

    /** From now on levels come by {@link #levels} alone; what the relay counts is not looked at. */
    public synchronized void expectLevelsFromHousekeeper() {
        levelsFromHousekeeper = true;
    }

    /**
     * Looks at levels on behalf of all instances. The caller sees to it that only one does so at a
     * time, and keeps what is to be remembered, so that any instance can be the next.
     *
     * @param memory what the last look returned; empty for the first
     * @param now by the database's clock
     * @return the memory for the next look
     */
    public String levels(Levels levels, String memory, Instant now) {
        LevelWatch watch = LevelWatch.remembering(memory, rules.coolDown());
        look(watch, levels, now).forEach(this::send);
        return watch.memory();
    }

    private List<Alert> look(LevelWatch watch, Levels levels, Instant now) {
        List<Alert> alerts = new ArrayList<>();
        long pending = levels.pending();
        watch.look(
                        Alert.PENDING,
                        pending > rules.pending(),
                        now,
                        () -> wording.pending(pending, rules.pending()),
                        () -> wording.pendingOver(pending, rules.pending()))
                .ifPresent(alerts::add);
        long failed = levels.failed();
        watch.look(
                        Alert.FAILED,
                        failed > rules.failed(),
                        now,
                        () -> wording.failed(failed, rules.failed()),
                        () -> wording.failedOver(failed, rules.failed()))
                .ifPresent(alerts::add);
        OutboxPause pause = levels.pause();
        watch.look(
                        Alert.PAUSED,
                        pause != null,
                        now,
                        () -> wording.paused(String.valueOf(pause == null ? null : pause.inWords())),
                        wording::resumed)
                .ifPresent(alerts::add);
        Duration limit = rules.oldestAge();
        if (limit != null) {
            Duration age = levels.oldest();
            watch.look(
                            Alert.OLDEST_AGE,
                            age.compareTo(limit) > 0,
                            now,
                            () -> wording.oldestAge(age, limit),
                            () -> wording.oldestAgeOver(age, limit))
                    .ifPresent(alerts::add);
        }
        return alerts;
    }

    // ---- deciding

    /** Time that cannot be set; only differences mean something. */
    private static Instant now() {
        return Instant.EPOCH.plusNanos(System.nanoTime());
    }

    private synchronized long nanosUntilNextLook() {
        Instant now = now();
        return nextLook.isAfter(now) ? Duration.between(now, nextLook).toNanos() + 1 : 0;
    }

    /** Tells what is urgent, and looks at levels and rates if it is time. Called by one thread. */
    void runOnce(Instant now) {
        List<Alert> alerts = new ArrayList<>();
        synchronized (this) {
            alerts.addAll(urgent);
            urgent.clear();
            if (rules.circuitOpen()) {
                ownLevels
                        .look(Alert.CIRCUIT, circuitOpen, now, wording::circuitOpen, wording::circuitClosed)
                        .ifPresent(alerts::add);
            }
            long silent = unanswered;
            Duration age = oldestUnanswered;
            ownLevels
                    .look(
                            Alert.UNANSWERED,
                            silent > rules.unanswered(),
                            now,
                            () -> wording.unanswered(silent, age),
                            wording::answered)
                    .ifPresent(alerts::add);
            ownLevels
                    .look(
                            Alert.DESTINATION,
                            rules.circuitOpen() && !blocked.isEmpty(),
                            now,
                            () -> wording.destinationsBlocked(blocked),
                            wording::destinationsBack)
                    .ifPresent(alerts::add);
            if (!now.isBefore(nextLook)) {
                nextLook = now.plus(rules.interval());
                alerts.addAll(lookAround(now));
            }
        }
        alerts.addAll(singles(now));
        alerts.forEach(this::send);
    }

    private List<Alert> lookAround(Instant now) {
        List<Alert> alerts = new ArrayList<>();
        if (counted != null && !levelsFromHousekeeper) {
            alerts.addAll(look(ownLevels, counted, now));
        }
        long perMinute = failuresPerMinute(now);
        if (perMinute > rules.failuresPerMinute() && !coolsDown(Alert.FAILURE_RATE, now)) {
            toldAt.put(Alert.FAILURE_RATE, now);
            alerts.add(wording.failureRate(perMinute, rules.failuresPerMinute()));
        }
        // What comes during a cool-down is counted, and told after it.
        if (!coolsDown(Alert.RECOVERED, now)) {
            if (recovered > rules.recovered()) {
                toldAt.put(Alert.RECOVERED, now);
                alerts.add(wording.recovered(recovered));
            }
            recovered = 0;
        }
        if (!coolsDown(Alert.FAILOVER, now) && failOvers > 0) {
            toldAt.put(Alert.FAILOVER, now);
            alerts.add(wording.databaseFailedOver(failOvers));
            failOvers = 0;
        }
        if (!coolsDown(Alert.DEAD_LETTER_IN_FILE, now)) {
            if (inFile > 0 && rules.deadLetters() != AlertRules.OFF) {
                toldAt.put(Alert.DEAD_LETTER_IN_FILE, now);
                alerts.add(wording.inFile(inFile));
            }
            inFile = 0;
        }
        return alerts;
    }

    /** Within a minute the count as it is, so that a burst is told early; later the average. */
    private long failuresPerMinute(Instant now) {
        if (failuresSince == null) {
            failuresSince = now;
        }
        Duration elapsed = Duration.between(failuresSince, now);
        if (elapsed.compareTo(MINUTE) < 0) {
            return failures;
        }
        long perMinute = failures * MINUTE.toMillis() / elapsed.toMillis();
        failuresSince = now;
        failures = 0;
        return perMinute;
    }

    private boolean coolsDown(String rule, Instant now) {
        Instant told = toldAt.get(rule);
        return told != null && now.isBefore(told.plus(rules.coolDown()));
    }

    private List<Alert> singles(Instant now) {
        List<Alert> alerts = new ArrayList<>(integrity.tell(now, new Singles.Words() {
            @Override
            public Alert of(Singles.Single single) {
                return wording.integrity(single.id());
            }

            @Override
            public Alert ofMany(long count) {
                return wording.integrityFailures(count);
            }
        }));
        alerts.addAll(dead.tell(now, new Singles.Words() {
            @Override
            public Alert of(Singles.Single single) {
                return wording.deadLetter(single.id(), single.error());
            }

            @Override
            public Alert ofMany(long count) {
                return wording.deadLetters(count);
            }
        }));
        return alerts;
    }

    private void send(Alert alert) {
        for (AlertChannel channel : channels) {
            try {
                channel.send(alert);
            } catch (RuntimeException e) {
                log.warn("[{}] alert [{}] was not accepted by {}: {}", relay, alert.title(), channel, e.toString());
            }
        }
    }

    /** Tells what is still untold, then closes the channels. Waits for each of them no longer than it takes to close it. */
    @Override
    public void close() {
        if (service.stop(PAUSE)) {
            runOnce(now());
            singles(now().plus(MINUTE)).forEach(this::send);
        }
        channels.forEach(this::close);
    }

    private void close(AlertChannel channel) {
        try {
            channel.close();
        } catch (RuntimeException e) {
            log.warn("[{}] {} did not close in order: {}", relay, channel, e.toString());
        }
    }
}
