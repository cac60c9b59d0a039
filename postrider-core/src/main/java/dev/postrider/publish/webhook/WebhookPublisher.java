package dev.postrider.publish.webhook;

import dev.postrider.OutboxEvent;
import dev.postrider.PostriderException;
import dev.postrider.internal.http.SecretUrl;
import dev.postrider.publish.InvalidEventException;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.TypeRoutes;
import dev.postrider.publish.UnroutableEventException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Posts events to URLs, at least once and in order per key.
 *
 * <p>Several requests run at the same time, but only one per key: the next is posted after a success response to the
 * one before it. So a failure stops only its key. A server that asks to wait with {@code Retry-After} is not called
 * before that time has passed.
 *
 * <p>Messages contain only hosts, never URLs or secrets.
 */
public final class WebhookPublisher implements Publisher {
    public static final Duration DEFAULT_CONNECT_TIMEOUT = Duration.ofSeconds(10);
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);
    public static final int DEFAULT_IN_FLIGHT = 16;
    public static final Duration DEFAULT_OPEN_FOR = Duration.ofSeconds(30);

    /** The default template: what happened, and to what. */
    public static final String DEFAULT_TEMPLATE = "{type}: {aggregateType} {aggregateId}";

    private final @Nullable SecretUrl standardUrl;
    private final TypeRoutes<SecretUrl> routes;

    /** By what {@link #destination} calls them. */
    private final Map<String, SecretUrl> destinations = new LinkedHashMap<>();

    private final Message.Layout layout;
    private final RequestPipeline line;
    private volatile boolean closed;

    private WebhookPublisher(Builder builder) {
        this.standardUrl = builder.url;
        this.routes = builder.routes;
        if (standardUrl != null) {
            destinations.put(standardUrl.url().toString(), standardUrl);
        }
        routes.targets().forEach(url -> destinations.put(url.url().toString(), url));
        this.layout = builder.layout();
        List<String> secrets = new ArrayList<>(builder.secrets);
        secrets.addAll(builder.headers.values());
        secrets.removeIf(String::isBlank);
        this.line = new RequestPipeline(
                new RequestPipeline.HttpSettings(
                        builder.inFlight, builder.connectTimeout, builder.timeout, builder.openFor),
                new Requests(builder.headers, Signatures.by(builder.secrets)),
                new Answers(builder.timeout, secrets));
        line.among(Set.copyOf(destinations.values()));
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The URL, which is a secret. */
    @Override
    public String destination(OutboxEvent event) {
        SecretUrl url = routes.find(event.type()).orElse(standardUrl);
        if (url == null) {
            throw new UnroutableEventException("Event type [" + event.type()
                    + "] leads to no URL: there is no route for it in webhook.routes, and webhook.url is not set.");
        }
        return url.url().toString();
    }

    @Override
    public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
        if (closed) {
            return CompletableFuture.completedFuture(new PublishResult.Unresolved());
        }
        SecretUrl url = destinations.get(destination);
        if (url == null) {
            return CompletableFuture.completedFuture(new PublishResult.Rejected(
                    "unroutable",
                    "It was to be sent to a URL that is neither webhook.url nor in webhook.routes.",
                    true));
        }
        try {
            return line.send(event, layout.of(event), url);
        } catch (InvalidEventException e) {
            return CompletableFuture.completedFuture(e.result());
        }
    }

    @Override
    public int releasable(String blocked) {
        return line.releasable(blocked);
    }

    @Override
    public Map<String, String> blocked() {
        return line.blocked();
    }

    @Override
    public void expireOverdue() {
        line.expireOverdue();
        line.giveUpSilentUrls();
    }

    @Override
    public void returnUnstarted() {
        line.giveBackWaiting();
    }

    @Override
    public void halt() {
        line.stop();
    }

    @Override
    public void resume() {
        if (!closed) {
            line.resume();
        }
    }

    @Override
    public void close() {
        closed = true;
        line.close();
    }

    /** Options of a webhook publisher. A URL or a route is required. */
    public static final class Builder {
        private @Nullable SecretUrl url;
        private TypeRoutes<SecretUrl> routes = TypeRoutes.none();
        private WebhookContent content = WebhookContent.STRUCTURED;
        private @Nullable String template;
        private String defaultSource = "postrider";
        private final Map<String, String> headers = new LinkedHashMap<>();
        private List<String> secrets = List.of();
        private Duration connectTimeout = DEFAULT_CONNECT_TIMEOUT;
        private Duration timeout = DEFAULT_TIMEOUT;
        private int inFlight = DEFAULT_IN_FLIGHT;
        private Duration openFor = DEFAULT_OPEN_FOR;

        private Builder() {}

        /** Where events without a route go. Default: such events cannot be sent. */
        public Builder url(String url) {
            this.url = SecretUrl.parse("webhook.url", url);
            return this;
        }

        /** Where events of this type go, or of types with these consecutive segments; the longest route wins. */
        public Builder route(String type, String url) {
            this.routes = routes.and(type, SecretUrl.parse("webhook.routes." + type, url));
            return this;
        }

        /** Default: {@link WebhookContent#STRUCTURED}. */
        public Builder content(WebhookContent content) {
            this.content = content;
            return this;
        }

        /**
         * The text of {@link WebhookContent#DISCORD}, with {@code {type}}, {@code {id}}, {@code {aggregateType}},
         * {@code {aggregateId}}, {@code {key}}, {@code {source}}, {@code {time}}, {@code {payload}} and {@code
         * {payload.field}} to be filled in. Text that is longer than Discord accepts is cut off. Default: {@link
         * #DEFAULT_TEMPLATE}.
         */
        public Builder template(String template) {
            this.template = template;
            return this;
        }

        /** How long a failing URL, one of several, is not called before some events try it again. Default: 30 s. */
        public Builder openFor(Duration openFor) {
            this.openFor = openFor;
            return this;
        }

        /** The CloudEvents source of events that do not set one. Default: {@code postrider}. */
        public Builder defaultSource(String source) {
            this.defaultSource = source;
            return this;
        }

        /**
         * A header of every request, for example {@code Authorization}; it replaces an event's own header of that name.
         */
        public Builder header(String name, String value) {
            headers.put(name, value);
            return this;
        }

        /**
         * Signs requests as Standard Webhooks defines it. With several secrets there is a signature for each, for the
         * time in which receivers change to a new one. Default: nothing is signed.
         *
         * @param secrets {@code whsec_} and 24 to 64 bytes in Base64
         */
        public Builder secrets(List<String> secrets) {
            this.secrets = List.copyOf(secrets);
            return this;
        }

        /** Default: 10 s. */
        public Builder connectTimeout(Duration timeout) {
            this.connectTimeout = timeout;
            return this;
        }

        /** From the beginning of a request to the end of its response. Default: 30 s. */
        public Builder timeout(Duration timeout) {
            this.timeout = timeout;
            return this;
        }

        /** How many requests, for different keys, may run at the same time. Default: 16. */
        public Builder inFlight(int requests) {
            this.inFlight = requests;
            return this;
        }

        /**
         * Makes no connection.
         *
         * @throws PostriderException if an option is invalid, or options do not fit together
         */
        public WebhookPublisher build() {
            require(url != null || !routes.targets().isEmpty(), "url", "not set", "a URL, unless there are routes");
            require(isLong(timeout), "timeout", timeout, "a millisecond or longer");
            require(isLong(connectTimeout), "connect-timeout", connectTimeout, "a millisecond or longer");
            require(inFlight >= 1, "in-flight", inFlight, "1 or more");
            require(
                    template == null || content == WebhookContent.DISCORD,
                    "template",
                    "set",
                    "left out unless webhook.format is discord");
            return new WebhookPublisher(this);
        }

        private static boolean isLong(Duration timeout) {
            return timeout.compareTo(Duration.ofMillis(1)) >= 0;
        }

        private static void require(boolean holds, String option, Object value, String allowed) {
            if (!holds) {
                throw new PostriderException("webhook." + option + " is " + value + "; it must be " + allowed + ".");
            }
        }

        private Message.Layout layout() {
            return content == WebhookContent.DISCORD
                    ? MessageTemplate.parse(template == null ? DEFAULT_TEMPLATE : template)
                    : new CloudEventLayout(defaultSource, content == WebhookContent.BINARY);
        }
    }
}
