package dev.postrider.publish.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** Keeps the beginning of an answer and lets the rest go, however much it is. */
final class StartOfBody implements HttpResponse.BodySubscriber<String> {
    private static final int LIMIT = 1024;

    private final CompletableFuture<String> text = new CompletableFuture<>();
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();

    @Override
    public CompletionStage<String> getBody() {
        return text;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            byte[] some = new byte[Math.min(buffer.remaining(), LIMIT - kept.size())];
            buffer.get(some);
            kept.writeBytes(some);
        }
    }

    @Override
    public void onError(Throwable error) {
        text.completeExceptionally(error);
    }

    @Override
    public void onComplete() {
        text.complete(kept.toString(UTF_8));
    }
}
