package dev.postrider.internal.write;

import dev.postrider.OutboxEvent;
import dev.postrider.PostriderException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Refuses what could not be stored and sent as it was given: before it spoils the caller's transaction, is changed on the
 * way without a word, or is left out by a publisher. Messages say where it is, never what the text is. Any thread.
 */
public final class Storable {
    private static final String ATTRIBUTE_PREFIX = "ce_";
    private static final String CONTENT_TYPE = "content-type";

    private Storable() {}

    /** Every text of an event. */
    public static void requireEvent(OutboxEvent event) {
        requireText(event.type(), "event type");
        requireText(event.aggregateType(), "aggregate type");
        requireText(event.aggregateId(), "aggregate id");
        requireText(event.key(), "key");
        requireText(event.source(), "source");
        requireText(event.requestId(), "request id");
        requireLine(event.payload().contentType(), "content type");
        event.headers().forEach(Storable::requireHeader);
        if (event.payload().isJson()) {
            requireText(utf8(event.payload().bytes()), "payload");
        }
    }

    /** JSON is stored as text. What is not UTF-8 would become another text, which the event's hash does not fit. */
    private static String utf8(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw refused("payload", "is said to be JSON and is not UTF-8");
        }
    }

    private static void requireHeader(String name, String value) {
        if (name.isBlank()) {
            throw refused("name of a header", "is blank");
        }
        requireLine(name, "name of a header");
        String lower = name.toLowerCase(Locale.ROOT);
        if (lower.startsWith(ATTRIBUTE_PREFIX) || lower.equals(CONTENT_TYPE)) {
            throw refused(
                    "header " + name,
                    "has a name that belongs to the envelope, which sets it itself: use the attribute of the event");
        }
        requireLine(value, "value of header " + name);
    }

    /**
     * @param what names it in the message
     */
    public static void requireText(@Nullable String text, String what) {
        if (text == null) {
            return;
        }
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == 0) {
                throw refused(what, "has a NUL character at position " + at + ", which databases do not store");
            }
            if (Character.isSurrogate(c)) {
                boolean pair = Character.isHighSurrogate(c)
                        && at + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(at + 1));
                if (!pair) {
                    throw refused(
                            what,
                            "has half of a surrogate pair at position " + at
                                    + ", which is no character and would become a question mark");
                }
                at++;
            }
        }
    }

    private static void requireLine(String text, String what) {
        requireText(text, what);
        if (text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0) {
            throw refused(what, "has a line break");
        }
    }

    private static PostriderException refused(String what, String reason) {
        return new PostriderException("The " + what + " " + reason + ". Nothing was written.");
    }
}
