package dev.postrider.internal.relay;

import dev.postrider.internal.store.StoredEvent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Which events try whether a cluster takes events again. */
final class Trials {
    /** So many times the trials are fetched where there are several destinations. */
    static final int SPREAD = 4;

    private Trials() {}

    /**
     * One for each destination, as far as there are so many; of a key only the first, and none behind one that was left out.
     *
     * @return their rows
     */
    static Set<Long> choose(
            List<StoredEvent> fetched, int trials, Function<StoredEvent, @Nullable String> destination) {
        Set<Long> chosen = new HashSet<>();
        List<Long> others = new ArrayList<>();
        Set<Long> keys = new HashSet<>();
        Set<@Nullable String> destinations = new HashSet<>();
        for (StoredEvent event : fetched) {
            if (keys.add(event.claim().keyHash()) && chosen.size() < trials) {
                if (destinations.add(destination.apply(event))) {
                    chosen.add(event.claim().id());
                } else {
                    others.add(event.claim().id());
                }
            }
        }
        others.stream().limit(trials - chosen.size()).forEach(chosen::add);
        return chosen;
    }
}
