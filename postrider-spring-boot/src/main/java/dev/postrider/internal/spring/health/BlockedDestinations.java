package dev.postrider.internal.spring.health;

import dev.postrider.RelayListener;
import java.util.Map;
import java.util.TreeMap;

/** The destinations that take nothing, as this application's relay knows them. */
public final class BlockedDestinations implements RelayListener {
    private volatile Map<String, String> latest = Map.of();

    @Override
    public void blocked(Map<String, String> destinations) {
        latest = new TreeMap<>(destinations);
    }

    /** Each with the reason. */
    Map<String, String> latest() {
        return latest;
    }
}
