package dev.postrider.tests.campaign;

import java.util.EnumSet;
import java.util.Set;

/**
 * The campaign of an ordinary build: short, the same each time, and with what the code is known to survive. The one
 * place to widen when it survives more; the profile {@code torture} leaves nothing out.
 */
final class EveryBuild {
    static final int FAULTS = 20;
    static final long SEED = 20;

    /** Small heaps take too long for every build. */
    private static final Set<FaultKind> EVERYWHERE = EnumSet.complementOf(EnumSet.of(FaultKind.SMALL_HEAP));

    private EveryBuild() {}

    static Set<FaultKind> kinds(Configuration configuration) {
        return EVERYWHERE;
    }

    /** Whether something that must be zero is known not to be. */
    static boolean isNotYetKept(Configuration configuration, String number) {
        return false;
    }
}
