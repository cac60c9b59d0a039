package dev.postrider.http;

import dev.postrider.RelayListener;
import dev.postrider.RelayState;
import dev.postrider.RelayState.Phase;
import dev.postrider.metrics.RelayMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What the relays of a process tell: {@code /metrics} for Prometheus, {@code /livez} and {@code /readyz}. Nothing here asks the
 * database or the destination.
 */
public final class RelayEndpoints implements Endpoint, AutoCloseable {
    private static final String PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";
    private static final String READY = "/readyz";

    /** After this time only a restart helps a loop that makes no step. */
    private static final Duration STUCK_FOR_GOOD = Duration.ofMinutes(1);

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Map<String, Supplier<RelayState>> relays = new ConcurrentSkipListMap<>();

    /** A listener for the relay of this outbox, whose meters {@code /metrics} shows with the tag {@code outbox}. */
    public RelayListener metrics(String outbox) {
        return new RelayMetrics(registry, outbox);
    }

    /**
     * From now on {@code /livez} and {@code /readyz} tell of the relay of this outbox.
     *
     * @param state such as {@code relay::state}; called by any thread, and must not wait
     */
    public void add(String outbox, Supplier<RelayState> state) {
        relays.put(outbox, state);
    }

    @Override
    public Response answer(Request request) {
        if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
            return Response.problem(
                    405, "Method not allowed", "Only GET and HEAD are answered.", Map.of("Allow", "GET, HEAD"));
        }
        String path = request.path();
        if (path.equals("/metrics")) {
            return Response.text(200, PROMETHEUS_TEXT, registry.scrape());
        }
        if (path.equals("/livez")) {
            return health(relays, RelayEndpoints::isAlive);
        }
        if (path.equals(READY)) {
            return health(relays, RelayEndpoints::isReady);
        }
        String outbox = path.startsWith(READY + "/") ? path.substring(READY.length() + 1) : "";
        Supplier<RelayState> relay = relays.get(outbox);
        return relay == null
                ? Response.problem(
                        404,
                        "Not found",
                        "There are /metrics, /livez, /readyz and, for one outbox, /readyz/NAME.",
                        Map.of())
                : health(Map.of(outbox, relay), RelayEndpoints::isReady);
    }

    /** An outage of the database or the destination ends by itself; a restart would not help. */
    private static boolean isAlive(RelayState state) {
        return state.phase() != Phase.STUCK || state.since().compareTo(STUCK_FOR_GOOD) < 0;
    }

    /** A relay that is paused, or whose destination is down, does what it should. */
    private static boolean isReady(RelayState state) {
        return (state.phase() == Phase.RUNNING || state.phase() == Phase.PAUSED) && state.owner() != null;
    }

    private static Response health(Map<String, Supplier<RelayState>> relays, Predicate<RelayState> isWell) {
        boolean well = true;
        Map<String, Object> outboxes = new LinkedHashMap<>();
        for (Map.Entry<String, Supplier<RelayState>> relay : relays.entrySet()) {
            RelayState state = relay.getValue().get();
            boolean up = isWell.test(state);
            well &= up;
            outboxes.put(relay.getKey(), describe(state, up));
        }
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("status", word(well));
        all.put("outboxes", outboxes);
        return Response.json(well ? 200 : 503, all);
    }

    private static Map<String, Object> describe(RelayState state, boolean up) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("status", word(up));
        details.put("relay", state.phase().name().toLowerCase(Locale.ROOT));
        details.put("sinceSeconds", state.since().toSeconds());
        if (state.reason() != null) {
            details.put("reason", state.reason());
        }
        details.put("circuit", state.circuit());
        if (state.noAnswerFor() != null) {
            details.put("noAnswerForSeconds", state.noAnswerFor().toSeconds());
        }
        return details;
    }

    private static String word(boolean up) {
        return up ? "up" : "down";
    }

    @Override
    public void close() {
        registry.close();
    }
}
