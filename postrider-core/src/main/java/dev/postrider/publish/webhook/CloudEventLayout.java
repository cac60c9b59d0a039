package dev.postrider.publish.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.postrider.OutboxEvent;
import dev.postrider.publish.CloudEvents;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Events as CloudEvents 1.0 over HTTP. The event's own headers, such as {@code traceparent}, become headers beside it;
 * names that CloudEvents, signatures or HTTP claim for themselves are left out.
 */
final class CloudEventLayout implements Message.Layout {
    private static final String PREFIX = "ce-";

    private final CloudEvents events;
    private final boolean binary;

    CloudEventLayout(String defaultSource, boolean binary) {
        this.events = new CloudEvents(defaultSource);
        this.binary = binary;
    }

    @Override
    public Message of(OutboxEvent event) {
        Map<String, String> headers = new LinkedHashMap<>();
        event.headers().forEach((name, value) -> {
            if (!isClaimed(name)) {
                headers.put(name, value);
            }
        });
        byte[] payload = event.payload().bytes();
        if (!binary) {
            return new Message(CloudEvents.STRUCTURED_TYPE, headers, events.structured(event, payload));
        }
        CloudEvents.requireBinary(event);
        events.forEach(event, (name, value) -> headers.put(PREFIX + name, encoded(value)));
        return new Message(event.payload().contentType(), headers, payload);
    }

    static boolean isClaimed(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.startsWith(PREFIX) || lower.startsWith("webhook-") || lower.equals("content-type");
    }

    /** As the binding wants it: what is not visible ASCII, and quotes and percent signs, as bytes in hexadecimal. */
    private static String encoded(String value) {
        StringBuilder text = new StringBuilder(value.length());
        for (byte one : value.getBytes(UTF_8)) {
            if (one > ' ' && one < 0x7F && one != '"' && one != '%') {
                text.append((char) one);
            } else {
                text.append('%').append(String.format("%02X", one));
            }
        }
        return text.toString();
    }
}
