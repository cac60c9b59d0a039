package dev.postrider.tests.campaign;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a campaign did to one configuration, and what it found. Any thread. */
final class Findings {
    private static final int EXAMPLES = 5;

    private final int planned;
    private final Map<FaultKind, Strikes> strikes = new EnumMap<>(FaultKind.class);
    private final Map<Phase, Duration> spent = new EnumMap<>(Phase.class);
    private final List<Duration> untilDelivered = new ArrayList<>();
    private final Map<String, Long> numbers = new LinkedHashMap<>();
    private final List<String> violations = new ArrayList<>();
    private final List<String> details = new ArrayList<>();
    private String database = "";
    private @Nullable String brokenOff = "it has not begun";

    /** Where the time goes. */
    enum Phase {
        BEGIN,
        AWAIT_EVENTS_IN_FLIGHT,
        BETWEEN_FAULTS,
        AWAIT_END_OF_FAULTS,
        AWAIT_DELIVERIES,
        END;

        String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /**
     * How often a kind struck.
     *
     * @param all however it ended
     * @param inFlight had an effect, and events were in flight when it struck
     * @param inVain had no effect, because other faults were at work
     * @param lasted all of them together
     */
    record Strikes(int all, int inFlight, int inVain, Duration lasted) {
        static final Strikes NONE = new Strikes(0, 0, 0, Duration.ZERO);

        private Strikes begun() {
            return new Strikes(all + 1, inFlight, inVain, lasted);
        }

        private Strikes ended(boolean eventsInFlight, boolean effect, Duration length) {
            return new Strikes(
                    all, inFlight + (eventsInFlight && effect ? 1 : 0), inVain + (effect ? 0 : 1), lasted.plus(length));
        }

        long meanMillis() {
            return all == 0 ? 0 : lasted.toMillis() / all;
        }
    }

    /**
     * @param planned how many faults are to strike
     */
    Findings(Set<FaultKind> kinds, int planned) {
        kinds.forEach(kind -> strikes.put(kind, Strikes.NONE));
        this.planned = planned;
    }

    synchronized void begun(FaultKind kind) {
        strikes.computeIfPresent(kind, (any, before) -> before.begun());
    }

    synchronized void ended(FaultKind kind, boolean eventsInFlight, boolean effect, Duration length) {
        strikes.computeIfPresent(kind, (any, before) -> before.ended(eventsInFlight, effect, length));
    }

    synchronized boolean hasStruck(Set<FaultKind> kinds) {
        return kinds.stream().anyMatch(kind -> strikesOf(kind).all > 0);
    }

    /** Kinds that have had their effect on events in flight less often than this. */
    synchronized List<FaultKind> rarerThan(int times) {
        return strikes.keySet().stream()
                .filter(kind -> strikesOf(kind).inFlight < times)
                .toList();
    }

    synchronized void spent(Phase phase, long sinceNanos) {
        spent.merge(phase, Duration.ofNanos(System.nanoTime() - sinceNanos), Duration::plus);
    }

    /** After the last fault of a round had ended; if it takes too long, how long it was waited for. */
    synchronized void allDeliveredAfter(Duration time) {
        untilDelivered.add(time);
    }

    synchronized void database(String productAndVersion) {
        database = productAndVersion;
    }

    /** Something to know. */
    synchronized void number(String name, long value) {
        numbers.put(name, value);
    }

    /** Something that must be zero. */
    synchronized void mustBeZero(String name, long value) {
        numbers.put(name, value);
        if (value != 0) {
            violation(name + " " + value);
        }
    }

    /** The same as {@link #mustBeZero}, with some of the cases. */
    synchronized void mustBeNone(String name, List<String> cases) {
        mustBeZero(name, cases.size());
        cases.stream().limit(EXAMPLES).forEach(this::detail);
    }

    synchronized void violation(String text) {
        violations.add(text);
        System.out.println("VIOLATION " + text);
    }

    /** What helps to understand a violation. */
    synchronized void detail(String text) {
        details.add(text);
        System.out.println("    " + text);
    }

    synchronized void running() {
        brokenOff = "it was interrupted";
    }

    /** All faults have struck and everything has been judged. */
    synchronized void complete() {
        brokenOff = null;
    }

    synchronized void brokenOff(String why) {
        brokenOff = why;
    }

    /** Why this is not the whole campaign; null if it is. */
    synchronized @Nullable String brokenOff() {
        return brokenOff;
    }

    synchronized List<String> violations() {
        return List.copyOf(violations);
    }

    synchronized List<String> details() {
        return List.copyOf(details);
    }

    synchronized Map<String, Long> numbers() {
        return new LinkedHashMap<>(numbers);
    }

    /** A copy; kinds that are left out of this campaign are not in it. */
    synchronized Map<FaultKind, Strikes> strikes() {
        return new EnumMap<>(strikes);
    }

    private Strikes strikesOf(FaultKind kind) {
        return strikes.getOrDefault(kind, Strikes.NONE);
    }

    synchronized int struck() {
        return strikes.values().stream().mapToInt(Strikes::all).sum();
    }

    synchronized int struckInFlight() {
        return strikes.values().stream().mapToInt(Strikes::inFlight).sum();
    }

    int planned() {
        return planned;
    }

    synchronized String database() {
        return database;
    }

    synchronized Duration spentOn(Phase phase) {
        return spent.getOrDefault(phase, Duration.ZERO);
    }

    synchronized Duration longestUntilDelivered() {
        return untilDelivered.stream().max(Duration::compareTo).orElse(Duration.ZERO);
    }

    synchronized Duration medianUntilDelivered() {
        List<Duration> sorted = new ArrayList<>(untilDelivered);
        Collections.sort(sorted);
        return sorted.isEmpty() ? Duration.ZERO : sorted.get((sorted.size() - 1) / 2);
    }
}
