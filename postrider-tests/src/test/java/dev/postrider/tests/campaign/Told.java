package dev.postrider.tests.campaign;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/** What all relays of a configuration have said through their listeners and their metrics. Any thread. */
final class Told {
    private final Map<UUID, Integer> published = new HashMap<>();
    private final Set<Long> dead = new HashSet<>();
    private final List<String> wrongTotals = new ArrayList<>();
    private final AtomicInteger errors = new AtomicInteger();

    /** One process's, so that its metrics can be compared with its listener at its end. */
    final class OfOneProcess {
        private final String name;
        private long published;
        private long dead;

        OfOneProcess(String name) {
            this.name = name;
        }

        /**
         * @return false if the line is none of a listener's
         */
        boolean hear(String line) {
            synchronized (Told.this) {
                if (line.startsWith(Tidings.PUBLISHED)) {
                    published++;
                    Told.this.published.merge(
                            UUID.fromString(line.substring(Tidings.PUBLISHED.length())), 1, Integer::sum);
                } else if (line.startsWith(Tidings.DEAD)) {
                    dead++;
                    Told.this.dead.add(Long.parseLong(line.substring(Tidings.DEAD.length())));
                } else if (line.startsWith(Tidings.TOTAL)) {
                    String listened = Tidings.TOTAL + published + " " + dead;
                    if (!line.equals(listened)) {
                        wrongTotals.add(name + ": metrics say " + line + ", its listener heard " + listened);
                    }
                } else if (line.startsWith(Tidings.THREW)) {
                    errors.incrementAndGet();
                    return false;
                } else {
                    return false;
                }
                return true;
            }
        }
    }

    OfOneProcess process(String name) {
        return new OfOneProcess(name);
    }

    /** How often each event was told to be published. */
    synchronized Map<UUID, Integer> published() {
        return new HashMap<>(published);
    }

    /** Rows told to be dead letters. */
    synchronized Set<Long> dead() {
        return new HashSet<>(dead);
    }

    synchronized List<String> wrongTotals() {
        return List.copyOf(wrongTotals);
    }

    /** Errors that threads have met. */
    int errors() {
        return errors.get();
    }
}
