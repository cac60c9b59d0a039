package dev.postrider.internal.spring.handler;

import dev.postrider.OutboxEvent;
import dev.postrider.internal.spring.event.HandlingScope;
import dev.postrider.internal.spring.event.PayloadReader;
import dev.postrider.internal.spring.relay.RelayDestination;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.handler.HandlerPublisher;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The methods of the application's beans as what the relay delivers to. */
public final class HandlersDestination implements RelayDestination {
    private final HandlerMethods methods;
    private final String outbox;
    private final Settings settings;
    private final PayloadReader payloads;
    private final HandlingScope scope;
    private final OnceTransactions transactions;

    /**
     * @param executor null for threads of the publisher's own
     */
    public record Settings(
            int concurrency, Duration timeout, @Nullable Executor executor) {}

    /**
     * @param outbox whose events they handle
     */
    public HandlersDestination(
            HandlerMethods methods,
            String outbox,
            Settings settings,
            PayloadReader payloads,
            HandlingScope scope,
            OnceTransactions transactions) {
        this.methods = methods;
        this.outbox = outbox;
        this.settings = settings;
        this.payloads = payloads;
        this.scope = scope;
        this.transactions = transactions;
    }

    @Override
    public Publisher publisher() {
        HandlerPublisher.Builder builder =
                HandlerPublisher.builder().concurrency(settings.concurrency()).timeout(settings.timeout());
        if (settings.executor() != null) {
            builder.executor(settings.executor());
        }
        Map<String, HandlerMethod> byType = methods.byType(outbox);
        byType.forEach((type, method) -> builder.on(type, event -> handle(method, event)));
        // What a handler of this kind needs is made now, so that the start ends if it cannot be.
        byType.values().stream().distinct().filter(HandlerMethod::isOnce).forEach(transactions::prepare);
        return builder.build();
    }

    private void handle(HandlerMethod method, OutboxEvent event) throws Exception {
        scope.run(event.headers()::get, event.type(), event.id().toString(), () -> {
            if (method.isOnce()) {
                transactions.run(method, event, () -> method.call(event, payloads));
            } else {
                method.call(event, payloads);
            }
        });
    }
}
