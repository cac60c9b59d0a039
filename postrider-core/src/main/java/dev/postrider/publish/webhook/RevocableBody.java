package dev.postrider.publish.webhook;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;

/** The body of a request that can be withheld until the moment it is sent: without it no server has a whole request. */
final class RevocableBody implements HttpRequest.BodyPublisher {
    private final HttpRequest.BodyPublisher whole;
    private volatile boolean revoked;

    RevocableBody(byte[] bytes) {
        this.whole = HttpRequest.BodyPublishers.ofByteArray(bytes);
    }

    /** Any thread, more than once. */
    void revoke() {
        revoked = true;
    }

    @Override
    public long contentLength() {
        return whole.contentLength();
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
        if (revoked) {
            subscriber.onSubscribe(new NothingToCome());
            subscriber.onError(new IOException("given up before it was sent"));
        } else {
            whole.subscribe(subscriber);
        }
    }

    private record NothingToCome() implements Flow.Subscription {
        @Override
        public void request(long n) {}

        @Override
        public void cancel() {}
    }
}
