package dev.postrider.publish;

import dev.postrider.PostriderException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Routes for event types that do not follow the convention. A route applies to every type it equals or whose leading or
 * inner segments it names: {@code product.viewed} applies to {@code acme.product.viewed.v1}. The longest route wins.
 * Any thread.
 */
public final class TypeRoutes<T> {
    private final Map<String, T> byType;

    private TypeRoutes(Map<String, T> byType) {
        this.byType = byType;
    }

    public static <T> TypeRoutes<T> none() {
        return new TypeRoutes<>(Map.of());
    }

    /** Adds a route from a type, or from some of its consecutive segments. */
    public TypeRoutes<T> and(String type, T target) {
        if (type.isBlank()) {
            throw new PostriderException("A route to [" + target + "] names no event type.");
        }
        Map<String, T> more = new TreeMap<>(byType);
        more.put(type, target);
        return new TypeRoutes<>(Map.copyOf(more));
    }

    public Optional<T> find(String type) {
        String best = null;
        for (String route : byType.keySet()) {
            if (("." + type + ".").contains("." + route + ".") && (best == null || route.length() > best.length())) {
                best = route;
            }
        }
        return Optional.ofNullable(best).map(byType::get);
    }

    public Collection<T> targets() {
        return byType.values();
    }
}
