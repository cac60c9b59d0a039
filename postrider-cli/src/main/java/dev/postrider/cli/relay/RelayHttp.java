package dev.postrider.cli.relay;

import dev.postrider.PostriderException;
import dev.postrider.RelayListener;
import dev.postrider.RelayState;
import dev.postrider.http.HttpService;
import dev.postrider.http.HttpSettings;
import dev.postrider.http.RelayEndpoints;
import dev.postrider.settings.OptionValues;
import java.net.InetSocketAddress;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** What this process tells over HTTP, if it shall. */
final class RelayHttp implements AutoCloseable {
    /** Read by the JDK when its first server is made: more connections than these are closed at once. */
    private static final String MAX_CONNECTIONS = "jdk.httpserver.maxConnections";

    private final RelayEndpoints endpoints;
    private final @Nullable HttpService service;

    private RelayHttp(RelayEndpoints endpoints, @Nullable HttpService service) {
        this.endpoints = endpoints;
        this.service = service;
    }

    /**
     * @throws PostriderException if the address cannot be used
     */
    static RelayHttp start(OptionValues settings) {
        RelayEndpoints endpoints = new RelayEndpoints();
        return HttpSettings.of(settings)
                .map(http -> new RelayHttp(endpoints, listen(http, endpoints)))
                .orElseGet(() -> new RelayHttp(endpoints, null));
    }

    private static HttpService listen(HttpSettings settings, RelayEndpoints endpoints) {
        if (System.getProperty(MAX_CONNECTIONS) == null) {
            System.setProperty(MAX_CONNECTIONS, "200");
        }
        HttpService service = HttpService.start(settings, endpoints);
        InetSocketAddress address = service.address();
        LoggerFactory.getLogger(RelayHttp.class)
                .info(
                        "http://{}:{} answers /metrics, /livez and /readyz",
                        settings.listen().host(),
                        address.getPort());
        return service;
    }

    void add(String outbox, Supplier<RelayState> state) {
        endpoints.add(outbox, state);
    }

    /** For the relay of this outbox; costs nothing if nobody can ask. */
    RelayListener metrics(String outbox) {
        return service == null ? new RelayListener() {} : endpoints.metrics(outbox);
    }

    @Override
    public void close() {
        if (service != null) {
            service.close();
        }
        endpoints.close();
    }
}
