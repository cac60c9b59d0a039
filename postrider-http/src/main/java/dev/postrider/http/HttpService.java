package dev.postrider.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.postrider.PostriderException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The JDK's HTTP server before an {@link Endpoint}. Threads, requests that wait for one, and the time for a request are
 * limited, so that slow or many clients cannot harm the relays of the process.
 */
public final class HttpService implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HttpService.class);

    /** Requests that wait for a thread. The connection of one more is closed. */
    private static final int WAITING = 100;

    private static final Duration IDLE_THREAD = Duration.ofSeconds(30);

    private final HttpServer server;
    private final ThreadPoolExecutor threads;
    private final ScheduledThreadPoolExecutor clock;

    private HttpService(HttpServer server, HttpSettings settings, Endpoint endpoint) {
        this.server = server;
        this.threads = new ThreadPoolExecutor(
                settings.threads(),
                settings.threads(),
                IDLE_THREAD.toSeconds(),
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(WAITING),
                daemons("postrider-http-"));
        threads.allowCoreThreadTimeOut(true);
        this.clock = new ScheduledThreadPoolExecutor(1, daemons("postrider-http-clock-"));
        clock.setRemoveOnCancelPolicy(true);
        server.setExecutor(request -> threads.execute(new TimeLimit(request, settings.timeout(), clock)));
        server.createContext("/", exchange -> answer(exchange, endpoint));
    }

    /**
     * @throws PostriderException if the address cannot be used
     */
    public static HttpService start(HttpSettings settings, Endpoint endpoint) {
        HttpService service = new HttpService(listen(settings.listen()), settings, endpoint);
        service.server.start();
        if (!HttpAddress.isThisMachine(service.address().getAddress())) {
            log.warn(
                    "{} can be reached from other machines, without a password and without encryption",
                    settings.listen());
        }
        return service;
    }

    private static HttpServer listen(HttpAddress address) {
        InetSocketAddress resolved = address.resolve();
        if (resolved.isUnresolved()) {
            throw unusable(address, "there is no host " + address.host(), null);
        }
        try {
            return HttpServer.create(resolved, 0);
        } catch (BindException e) {
            boolean used = String.valueOf(e.getMessage()).contains("in use");
            throw unusable(address, used ? "another process listens there" : String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw unusable(address, String.valueOf(e.getMessage()), e);
        }
    }

    private static PostriderException unusable(HttpAddress address, String why, @Nullable Exception cause) {
        return new PostriderException(
                "Cannot listen at " + address + ": " + why + ". Set " + HttpSettings.LISTEN.key()
                        + " to a free port of this machine.",
                cause);
    }

    private static ThreadFactory daemons(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** With the port that it really has. */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    private static void answer(HttpExchange exchange, Endpoint endpoint) throws IOException {
        try (exchange) {
            Response response = responseTo(exchange, endpoint);
            exchange.getResponseHeaders().set("Content-Type", response.contentType());
            exchange.getResponseHeaders().set("Cache-Control", "no-store");
            exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
            response.headers()
                    .forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
            boolean empty = exchange.getRequestMethod().equals("HEAD") || response.body().length == 0;
            exchange.sendResponseHeaders(response.status(), empty ? -1 : response.body().length);
            if (!empty) {
                exchange.getResponseBody().write(response.body());
            }
        }
    }

    private static Response responseTo(HttpExchange exchange, Endpoint endpoint) {
        Request request = new Request(
                exchange.getRequestMethod(), exchange.getRequestURI().getPath());
        try {
            return endpoint.answer(request);
        } catch (RuntimeException | Error e) {
            log.error("{} {} failed", request.method(), request.path(), e);
            return Response.problem(500, "Error", "The log of this process says more.", Map.of());
        }
    }

    /** Ends connections at once. */
    @Override
    public void close() {
        server.stop(0);
        List<Runnable> waiting = threads.shutdownNow();
        if (!waiting.isEmpty()) {
            log.debug("{} requests were not answered", waiting.size());
        }
        clock.shutdownNow();
    }
}
