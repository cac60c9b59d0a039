package dev.postrider.publish.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.internal.http.SecretUrl;
import dev.postrider.publish.PublishResult;
import java.lang.reflect.Proxy;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.Test;

/** Whatever breaks in the HTTP client, every event is answered and its place is free for the next. */
class BrokenClientTest {
    private static final Duration TIMEOUT = Duration.ofMillis(50);

    @Test
    void eventWhoseRequestCannotBeBegunIsAnsweredAndTheNextGoesOut() {
        Client client = new Client();
        RequestPipeline line = line(client);
        client.next = () -> {
            throw new IllegalStateException("no selector");
        };

        assertThat(send(line)).isCompletedWithValueMatching(PublishResult.Rejected.class::isInstance);

        client.next = () -> CompletableFuture.completedFuture(response(200));
        assertThat(send(line)).isCompletedWithValue(new PublishResult.Accepted());
    }

    @Test
    void eventWhoseAnswerMeetsAnErrorIsGivenUpAfterTheTimeoutAndTheNextGoesOut() {
        Client client = new Client();
        RequestPipeline line = line(client);
        client.next = () -> CompletableFuture.completedFuture(response(-1));
        CompletableFuture<PublishResult> first = send(line);
        client.next = () -> CompletableFuture.completedFuture(response(200));
        CompletableFuture<PublishResult> second = send(line);
        assertThat(second).isNotDone();

        await().until(() -> {
            line.expireOverdue();
            return first.isDone();
        });

        assertThat(first).isCompletedWithValueMatching(PublishResult.Unavailable.class::isInstance);
        assertThat(second).isCompletedWithValue(new PublishResult.Accepted());
    }

    private static RequestPipeline line(Client client) {
        return new RequestPipeline(
                new RequestPipeline.HttpSettings(1, TIMEOUT, TIMEOUT, TIMEOUT),
                new Requests(Map.of(), Signatures.by(List.of())),
                new Answers(TIMEOUT, List.of()),
                () -> client);
    }

    private static CompletableFuture<PublishResult> send(RequestPipeline line) {
        OutboxEvent event =
                OutboxEvent.builder("a.b").aggregate("a", "1").json("{}").build();
        return line.send(
                event,
                new Message("application/json", Map.of(), new byte[] {'1'}),
                SecretUrl.parse("webhook.url", "http://127.0.0.1:1/x"));
    }

    /** With a negative status: one that there is no memory for. */
    @SuppressWarnings("unchecked")
    private static HttpResponse<Object> response(int status) {
        return (HttpResponse<Object>) Proxy.newProxyInstance(
                BrokenClientTest.class.getClassLoader(),
                new Class<?>[] {HttpResponse.class},
                (proxy, method, arguments) -> {
                    if (status < 0) {
                        throw new OutOfMemoryError("made by a test");
                    }
                    return switch (method.getName()) {
                        case "statusCode" -> status;
                        case "headers" -> HttpHeaders.of(Map.of(), (name, value) -> true);
                        default -> "";
                    };
                });
    }

    private interface Answering {
        CompletableFuture<HttpResponse<Object>> answer();
    }

    private static final class Client extends HttpClient {
        private Answering next = CompletableFuture::new;

        @Override
        @SuppressWarnings("unchecked")
        public <T> CompletableFuture<HttpResponse<T>> sendAsync(
                HttpRequest request, HttpResponse.BodyHandler<T> handler) {
            return (CompletableFuture<HttpResponse<T>>) (CompletableFuture<?>) next.answer();
        }

        @Override
        public <T> CompletableFuture<HttpResponse<T>> sendAsync(
                HttpRequest request,
                HttpResponse.BodyHandler<T> handler,
                HttpResponse.PushPromiseHandler<T> pushPromises) {
            return sendAsync(request, handler);
        }

        @Override
        public <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<CookieHandler> cookieHandler() {
            return Optional.empty();
        }

        @Override
        public Optional<Duration> connectTimeout() {
            return Optional.empty();
        }

        @Override
        public Redirect followRedirects() {
            return Redirect.NEVER;
        }

        @Override
        public Optional<ProxySelector> proxy() {
            return Optional.empty();
        }

        @Override
        public SSLContext sslContext() {
            throw new UnsupportedOperationException();
        }

        @Override
        public SSLParameters sslParameters() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<Authenticator> authenticator() {
            return Optional.empty();
        }

        @Override
        public Version version() {
            return Version.HTTP_1_1;
        }

        @Override
        public Optional<Executor> executor() {
            return Optional.empty();
        }
    }
}
