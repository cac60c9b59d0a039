package dev.postrider.cli.demo;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;

/**
 * How busy this machine's processors were, all processes together.
 *
 * @param busy from 0 to 1; less than 0 if this machine does not tell
 */
record ProcessorUse(double busy, int processors) {
    /** From here on a processor more would help. */
    private static final double FULL = 0.85;

    /** Begins to measure; what the machine tells at the next call is about the time in between. */
    static void begin() {
        of();
    }

    /** Since the latest call of this or {@link #begin}. */
    static ProcessorUse of() {
        double busy = ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? system.getCpuLoad()
                : -1;
        return new ProcessorUse(busy, Runtime.getRuntime().availableProcessors());
    }

    boolean isFull() {
        return busy >= FULL;
    }

    /** {@code 97 % of 2 busy}. */
    String inWords() {
        return busy < 0
                ? "nobody knows how many of " + processors + " were busy"
                : String.format(Locale.ROOT, "%.0f %% of %d busy", busy * 100, processors);
    }
}
