package dev.postrider.tests.campaign;

import java.util.EnumSet;
import java.util.Set;

/**
 * The campaign of an ordinary build: short, and the same each time. The profile {@code torture} leaves nothing out.
 */
final class EveryBuild {
    static final int FAULTS = 20;
    static final long SEED = 20;

    /** Small heaps take too long for every build. */
    static final Set<FaultKind> KINDS = EnumSet.complementOf(EnumSet.of(FaultKind.SMALL_HEAP));

    /**
     * Each costs the start and the end of its relays and servers. The log with exactly once promises most; what breaks on
     * MariaDB has few other tests.
     */
    static final Set<Configuration> CONFIGURATIONS = EnumSet.of(Configuration.EXACTLY_ONCE, Configuration.MARIADB);

    private EveryBuild() {}
}
