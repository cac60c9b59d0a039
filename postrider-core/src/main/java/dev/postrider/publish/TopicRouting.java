package dev.postrider.publish;

import dev.postrider.PostriderException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Which topic an event type goes to. By convention the second segment of the type plus {@code
 * -events}: {@code acme.order.paid.v1} goes to {@code order-events}. {@linkplain TypeRoutes Routes} override the
 * convention. Any thread.
 */
public final class TopicRouting {
    /** Types come from programs and are few; should somebody make them up, they are resolved each time. */
    private static final int MANY_TYPES = 1_000;

    private static final Pattern TOPIC = Pattern.compile("[A-Za-z0-9._-]{1,249}");

    private final TypeRoutes<String> routes;
    private final String prefix;
    private final Map<String, String> resolved = new ConcurrentHashMap<>();

    private TopicRouting(TypeRoutes<String> routes, String prefix) {
        this.routes = routes;
        this.prefix = prefix;
    }

    public static TopicRouting byConvention() {
        return new TopicRouting(TypeRoutes.none(), "");
    }

    /** Adds a route from a type, or from some of its consecutive segments, to a topic. */
    public TopicRouting route(String type, String topic) {
        if (!TOPIC.matcher(topic).matches()) {
            throw new PostriderException("The route of [" + type + "] names the topic [" + topic
                    + "]; a topic has 1 to 249 letters, digits, dots, underscores or hyphens.");
        }
        return new TopicRouting(routes.and(type, topic), prefix);
    }

    /** Every topic name begins with this. Default: nothing. */
    public TopicRouting prefix(String prefix) {
        return new TopicRouting(routes, prefix);
    }

    /**
     * @throws UnroutableEventException if there is no route and the type has no second segment
     */
    public String topicOf(String type) {
        String topic = resolved.get(type);
        if (topic == null) {
            topic = prefix + resolve(type);
            if (resolved.size() < MANY_TYPES) {
                resolved.put(type, topic);
            }
        }
        return topic;
    }

    private String resolve(String type) {
        Optional<String> routed = routes.find(type);
        if (routed.isPresent()) {
            return routed.get();
        }
        String[] segments = type.split("\\.", -1);
        String topic = segments.length < 2 ? "" : segments[1] + "-events";
        if (topic.isEmpty()
                || topic.startsWith("-")
                || !TOPIC.matcher(prefix + topic).matches()) {
            throw new UnroutableEventException("Event type [" + type + "] leads to no topic: there is no route for it,"
                    + " and by convention the topic comes from its second segment, as in acme.order.paid.v1."
                    + " Name the type so, or add a route for it.");
        }
        return topic;
    }
}
