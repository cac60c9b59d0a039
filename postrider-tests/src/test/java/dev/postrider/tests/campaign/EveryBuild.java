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

    /** So do three brokers. */
    static final Set<Configuration> CONFIGURATIONS = EnumSet.complementOf(EnumSet.of(Configuration.THREE_BROKERS));

    private EveryBuild() {}
}
