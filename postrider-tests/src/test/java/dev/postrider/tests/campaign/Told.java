package dev.postrider.tests.campaign;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/** What all relays of a configuration have said through their listeners and their metrics. Any thread. */
final class Told {
    private final Map<UUID, Integer> published = new HashMap<>();
    private final Map<Long, Integer> dead = new HashMap<>();
    private final Map<Long, Integer> inFile = new HashMap<>();
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
                if (line.startsWith(Reports.PUBLISHED)) {
                    published++;
                    Told.this.published.merge(
                            UUID.fromString(line.substring(Reports.PUBLISHED.length())), 1, Integer::sum);
                } else if (line.startsWith(Reports.DEAD)) {
                    dead++;
                    Told.this.dead.merge(Long.valueOf(line.substring(Reports.DEAD.length())), 1, Integer::sum);
                } else if (line.startsWith(Reports.IN_FILE)) {
                    inFile.merge(Long.valueOf(line.substring(Reports.IN_FILE.length())), 1, Integer::sum);
                } else if (line.startsWith(Reports.TOTAL)) {
                    String listened = Reports.TOTAL + published + " " + dead;
                    if (!line.equals(listened)) {
                        wrongTotals.add(name + ": metrics say " + line + ", its listener heard " + listened);
                    }
                } else if (line.startsWith(Reports.THREW)) {
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

    /** How often each row was told to be a dead letter. */
    synchronized Map<Long, Integer> dead() {
        return new HashMap<>(dead);
    }

    /** How often each row was told to have its letter in the file, because the table did not take it. */
    synchronized Map<Long, Integer> inFile() {
        return new HashMap<>(inFile);
    }

    synchronized List<String> wrongTotals() {
        return List.copyOf(wrongTotals);
    }

    /** Errors that threads have met. */
    int errors() {
        return errors.get();
    }
}
