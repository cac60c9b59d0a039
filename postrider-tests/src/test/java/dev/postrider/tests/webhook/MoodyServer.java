package dev.postrider.tests.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Takes events as a webhook does, but not always: some never (400), some not now (429, 500). Remembers in which order it
 * accepted what.
 */
final class MoodyServer implements AutoCloseable {
    private static final Pattern EVENT = Pattern.compile("\"aggregateid\":\"([^\"]+)\".*\"data\":\\{\"n\" ?: ?(\\d+)}");

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private final Random random;
    private final IntPredicate refused;
    private final List<Event> accepted = new ArrayList<>();
    private final Map<Integer, Integer> answers = new ConcurrentHashMap<>();

    record Event(String key, int n) {}

    /**
     * @param refused numbers of the events that it never takes
     */
    MoodyServer(Random random, IntPredicate refused) throws IOException {
        this.random = random;
        this.refused = refused;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        server.setExecutor(threads);
        server.createContext("/events", this::answer);
        server.start();
    }

    InetSocketAddress address() {
        return server.getAddress();
    }

    List<Event> accepted() {
        synchronized (accepted) {
            return List.copyOf(accepted);
        }
    }

    /** How often it answered with which status. */
    Map<Integer, Integer> answers() {
        return answers;
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            Matcher event = EVENT.matcher(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
            if (!event.find()) {
                throw new IOException("not an event of this test");
            }
            int n = Integer.parseInt(event.group(2));
            double mood = random.nextDouble();
            int status = refused.test(n) ? 400 : mood < 0.005 ? 429 : mood < 0.02 ? 500 : 200;
            answers.merge(status, 1, Integer::sum);
            if (status == 200) {
                synchronized (accepted) {
                    accepted.add(new Event(event.group(1), n));
                }
            } else if (status == 429) {
                exchange.getResponseHeaders().set("Retry-After", mood < 0.001 ? inASecond() : "0.05");
            }
            exchange.sendResponseHeaders(status, -1);
        }
    }

    private static String inASecond() {
        return DateTimeFormatter.RFC_1123_DATE_TIME.format(
                ZonedDateTime.now(ZoneOffset.UTC).plusSeconds(1));
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
