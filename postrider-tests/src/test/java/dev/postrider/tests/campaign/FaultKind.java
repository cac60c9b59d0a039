package dev.postrider.tests.campaign;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What can go wrong. Each strikes once when asked to, and ends by itself. */
enum FaultKind {
    /** A relay is killed and started again. */
    KILL,
    /** A relay stands still for longer than its lease and knows nothing of it. */
    PAUSE,
    /** A relay is stopped in an orderly way and started again. */
    STOP,
    /** The database crashes and is started again. */
    DATABASE_CRASH,
    /** The broker crashes and is started again. */
    BROKER_KILL,
    /** Between relays and database nothing passes, in one direction or both, and nobody is told. */
    DATABASE_SILENCE,
    /** Between relays and database everything takes longer. */
    DATABASE_DELAY,
    /** Between relays and broker nothing passes, in one direction or both, and nobody is told. */
    BROKER_SILENCE,
    /** Between relays and broker everything takes longer. */
    BROKER_DELAY,
    /** The broker lets producers send little. */
    QUOTA,
    /** A relay gets little memory while events are large. */
    SMALL_HEAP,
    /** A thread of a relay meets an {@link Error}. */
    ERROR,
    /** Rows with whatever their columns accept. */
    HOSTILE_ROWS,
    /** A topic is deleted, events are written for it, and it is made again. */
    MISSING_TOPIC,
    /** When everything has been delivered, the outbox is emptied; ids may begin anew. */
    TRUNCATE,
    /** Relays are stopped, the outbox gets another layout, relays are started. */
    ALTER,
    /** The outbox is migrated again, and that is interrupted. */
    MIGRATE,
    /** Published events are sent once more, to another topic. */
    REPLAY,
    /** All dead letters are sent again; those that can never be delivered die again. */
    DEAD_RETRY;

    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Set<FaultKind> all() {
        return EnumSet.allOf(FaultKind.class);
    }

    boolean appliesTo(Configuration configuration) {
        return switch (this) {
            // There is one layout.
            case ALTER -> !configuration.isMariaDb();
            // There are wires to a single broker only.
            case BROKER_SILENCE, BROKER_DELAY -> configuration.brokers() == 1;
            default -> true;
        };
    }

    /**
     * @param labels separated by commas
     */
    static Set<FaultKind> named(String labels) {
        List<String> wanted = List.of(labels.split(","));
        Set<FaultKind> kinds = Stream.of(values())
                .filter(kind -> wanted.contains(kind.label()))
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(FaultKind.class)));
        if (kinds.size() < wanted.size()) {
            throw new IllegalArgumentException(labels + ": the kinds are "
                    + all().stream().map(FaultKind::label).collect(Collectors.joining(", ")));
        }
        return kinds;
    }
}
