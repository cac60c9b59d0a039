package dev.postrider.publish.webhook;

import dev.postrider.OutboxEvent;
import dev.postrider.PostriderException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Events as messages for people, in the form of Discord's webhooks: a text with names in braces, which each event
 * fills in. Doubled braces stand for themselves. A field that the payload does not have is filled in as nothing.
 */
final class MessageTemplate implements Message.Layout {
    /** What Discord takes. */
    static final int LONGEST = 2000;

    private static final String PAYLOAD = "payload";
    private static final String ALLOWED =
            "{type}, {id}, {aggregateType}, {aggregateId}, {key}, {source}, {time}, {payload} and {payload.field}";
    private static final JsonMapper MAPPER = JsonMapper.shared();

    private final List<Part> parts;

    private MessageTemplate(List<Part> parts) {
        this.parts = parts;
    }

    /** One piece of the text. */
    @FunctionalInterface
    private interface Part {
        String of(OutboxEvent event, JsonNode payload);
    }

    /**
     * @throws PostriderException if it names something that events do not have
     */
    static MessageTemplate parse(String template) {
        if (template.isBlank()) {
            throw new PostriderException(
                    "webhook.template is empty; it must be some text, with any of " + ALLOWED + ".");
        }
        List<Part> parts = new ArrayList<>();
        StringBuilder literal = new StringBuilder();
        for (int i = 0; i < template.length(); i++) {
            char character = template.charAt(i);
            boolean brace = character == '{' || character == '}';
            if (brace && i + 1 < template.length() && template.charAt(i + 1) == character) {
                literal.append(character);
                i++;
            } else if (character == '{') {
                int end = template.indexOf('}', i);
                if (end < 0) {
                    throw new PostriderException("webhook.template is [" + template
                            + "]; after its last { there must be a }, or it must be doubled.");
                }
                parts.add(text(literal.toString()));
                literal.setLength(0);
                parts.add(placeholder(template.substring(i + 1, end), template));
                i = end;
            } else {
                literal.append(character);
            }
        }
        parts.add(text(literal.toString()));
        return new MessageTemplate(List.copyOf(parts));
    }

    private static Part text(String text) {
        return (event, payload) -> text;
    }

    private static Part placeholder(String name, String template) {
        return switch (name) {
            case "type" -> of(OutboxEvent::type);
            case "id" -> of(event -> event.id().toString());
            case "aggregateType" -> of(OutboxEvent::aggregateType);
            case "aggregateId" -> of(OutboxEvent::aggregateId);
            case "key" -> of(OutboxEvent::messageKey);
            case "source" -> of(event -> event.source() == null ? "" : event.source());
            case "time" ->
                of(event -> event.occurredAt() == null ? "" : event.occurredAt().toString());
            default -> field(name, template);
        };
    }

    private static Part of(Function<OutboxEvent, String> value) {
        return (event, payload) -> value.apply(event);
    }

    private static Part field(String name, String template) {
        if (!name.matches(PAYLOAD + "(\\.[^.]+)*")) {
            throw new PostriderException("webhook.template is [" + template + "]; it names {" + name
                    + "}, and there are " + ALLOWED + ". Braces that are meant as such must be doubled.");
        }
        List<String> path = List.of(name.split("\\.")).subList(1, name.split("\\.").length);
        return (event, payload) -> {
            JsonNode found = payload;
            for (String step : path) {
                found = found.path(step);
            }
            if (found.isMissingNode() || found.isNull()) {
                return "";
            }
            return found.isValueNode() ? found.asString() : found.toString();
        };
    }

    @Override
    public Message of(OutboxEvent event) {
        JsonNode payload = payloadOf(event);
        String content = parts.stream().map(part -> part.of(event, payload)).collect(Collectors.joining());
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("content", shortened(content));
        // A payload that contains @everyone must not call everyone.
        message.put("allowed_mentions", Map.of("parse", List.of()));
        return new Message("application/json", Map.of(), MAPPER.writeValueAsBytes(message));
    }

    private static JsonNode payloadOf(OutboxEvent event) {
        if (!event.payload().isJson()) {
            return MAPPER.missingNode();
        }
        try {
            return MAPPER.readTree(event.payload().bytes());
        } catch (JacksonException e) {
            return MAPPER.missingNode();
        }
    }

    /** Never cuts a character in two. */
    private static String shortened(String text) {
        if (text.length() <= LONGEST) {
            return text;
        }
        int end = LONGEST - 1;
        return text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end) + "…";
    }
}
