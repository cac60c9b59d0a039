package dev.postrider.tests.campaign;

import dev.postrider.OutboxEvent;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.TransactionalDestination;
import dev.postrider.publish.TransactionalPublisher;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Refuses an event until a time that is in its headers, so that its key is closed for a while, and takes its time to
 * answer where a header asks for that. Otherwise the publisher it stands before.
 */
final class MoodyDestination {
    /** Milliseconds since 1970. */
    static final String REFUSED_UNTIL = "campaign-refused-until";

    /** Milliseconds. */
    static final String ANSWERED_AFTER = "campaign-answered-after";

    private final Object real;
    private final InjectedErrors errors;

    MoodyDestination(Object real, InjectedErrors errors) {
        this.real = real;
        this.errors = errors;
    }

    Publisher asPublisher() {
        return (Publisher) standIn(Publisher.class, TransactionalDestination.class);
    }

    private Object standIn(Class<?>... types) {
        return Proxy.newProxyInstance(MoodyDestination.class.getClassLoader(), types, (proxy, method, args) -> {
            if (method.getDeclaringClass() == Object.class) {
                return InjectedErrors.call(real, method, args);
            }
            errors.meet();
            if (method.getName().equals("publish")) {
                OutboxEvent event = (OutboxEvent) args[0];
                if (isRefused(event)) {
                    return CompletableFuture.completedFuture(new PublishResult.Rejected("refused for a while", false));
                }
                return late(event, (CompletionStage<?>) InjectedErrors.call(real, method, args));
            }
            Object result = InjectedErrors.call(real, method, args);
            return result instanceof TransactionalPublisher line
                    ? new MoodyDestination(line, errors).standIn(TransactionalPublisher.class)
                    : result;
        });
    }

    private static boolean isRefused(OutboxEvent event) {
        @Nullable String until = event.headers().get(REFUSED_UNTIL);
        return until != null && System.currentTimeMillis() < Long.parseLong(until);
    }

    private static CompletionStage<?> late(OutboxEvent event, CompletionStage<?> answer) {
        @Nullable String millis = event.headers().get(ANSWERED_AFTER);
        if (millis == null) {
            return answer;
        }
        Executor later = CompletableFuture.delayedExecutor(Long.parseLong(millis), TimeUnit.MILLISECONDS);
        return answer.thenApplyAsync(result -> result, later);
    }
}
