package dev.postrider.publish;

import dev.postrider.PostriderException;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Which topic an event type goes to. By convention the second segment of the type plus {@code
 * -events}: {@code acme.order.paid.v1} goes to {@code order-events}. A route overrides the convention
 * for every type it equals or whose leading or inner segments it names: {@code product.viewed} applies
 * to {@code acme.product.viewed.v1}. The longest route wins. Any thread.
 */
public final class TopicRouting {
    private static final Pattern TOPIC = Pattern.compile("[A-Za-z0-9._-]{1,249}");

    private final Map<String, String> routes;
    private final String prefix;

    private TopicRouting(Map<String, String> routes, String prefix) {
        this.routes = routes;
        this.prefix = prefix;
    }

    public static TopicRouting byConvention() {
        return new TopicRouting(Map.of(), "");
    }

    /** Adds a route from a type, or from some of its segments in a row, to a topic. */
    public TopicRouting route(String type, String topic) {
        if (type.isBlank()) {
            throw new PostriderException("A route to topic [" + topic + "] names no event type.");
        }
        if (!TOPIC.matcher(topic).matches()) {
            throw new PostriderException("The route of [" + type + "] names the topic [" + topic
                    + "]; a topic has 1 to 249 letters, digits, dots, underscores or hyphens.");
        }
        Map<String, String> more = new TreeMap<>(routes);
        more.put(type, topic);
        return new TopicRouting(Map.copyOf(more), prefix);
    }

    /** Every topic name begins with this. Default: nothing. */
    public TopicRouting prefix(String prefix) {
        return new TopicRouting(routes, prefix);
    }

    /**
     * @throws UnroutableEventException if there is no route and the type has no second segment
     */
    public String topicOf(String type) {
        return prefix + resolve(type);
    }

    private String resolve(String type) {
        String best = null;
        for (String route : routes.keySet()) {
            if (("." + type + ".").contains("." + route + ".") && (best == null || route.length() > best.length())) {
                best = route;
            }
        }
        if (best != null) {
            return routes.get(best);
        }
        String[] segments = type.split("\\.");
        String topic = segments.length < 2 ? "" : segments[1] + "-events";
        if (topic.startsWith("-") || !TOPIC.matcher(topic).matches()) {
            throw new UnroutableEventException("Event type [" + type + "] leads to no topic: there is no route for it,"
                    + " and by convention the topic comes from its second segment, as in acme.order.paid.v1."
                    + " Name the type so, or add a route for it.");
        }
        return topic;
    }
}
