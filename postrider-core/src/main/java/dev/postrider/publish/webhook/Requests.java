package dev.postrider.publish.webhook;

import dev.postrider.OutboxEvent;
import dev.postrider.PostriderException;
import dev.postrider.internal.http.SecretUrl;
import dev.postrider.publish.InvalidEventException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Instant;
import java.util.Map;

/** Makes requests of messages: headers, and a signature at the time of sending. Any thread. */
final class Requests {
    private final Map<String, String> headers;
    private final Signatures signatures;

    /**
     * @param headers of every request
     * @throws PostriderException if one of them cannot be sent; the message does not show its value
     */
    Requests(Map<String, String> headers, Signatures signatures) {
        this.headers = Map.copyOf(headers);
        this.signatures = signatures;
        headers.forEach((name, value) -> {
            if (CloudEventLayout.isClaimed(name) || !isUsable(name, value)) {
                throw new PostriderException("webhook.headers has [" + name + "], which cannot be set, or not so; it"
                        + " must be a header that neither HTTP's client (Host, Connection, Content-Length, Expect,"
                        + " Upgrade) nor the message (Content-Type, ce-…, webhook-…) sets itself, and a value of one"
                        + " line.");
            }
        });
    }

    /** Headers that writers gave their events and that HTTP does not know are left out. */
    HttpRequest of(OutboxEvent event, Message message, SecretUrl url, HttpRequest.BodyPublisher body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(url.url()).POST(body);
        if ("http".equalsIgnoreCase(url.url().getScheme())) {
            // Without TLS another version begins with an upgrade, at which some servers stumble.
            request.version(HttpClient.Version.HTTP_1_1);
        }
        message.headers().forEach((name, value) -> {
            if (isUsable(name, value)) {
                request.setHeader(name, value);
            }
        });
        headers.forEach(request::setHeader);
        if (!message.contentType().isBlank()) {
            requireUsable(message.contentType());
            request.setHeader("Content-Type", message.contentType());
        }
        signatures
                .headers(event.id().toString(), Instant.now().getEpochSecond(), message.body())
                .forEach(request::setHeader);
        return request.build();
    }

    private static void requireUsable(String contentType) {
        if (!isUsable("Content-Type", contentType)) {
            throw new InvalidEventException("Its content type has characters that HTTP cannot carry.");
        }
    }

    private static boolean isUsable(String name, String value) {
        try {
            HttpRequest.newBuilder().header(name, value);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
