package dev.postrider.publish;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sources as CloudEvents wants them: URI references. What is none is made one by writing bytes that have no place in it as
 * {@code %} and two digits; what is one stays as it is. Any thread.
 */
final class Sources {
    private static final String UNRESERVED = "-._~";
    private static final String RESERVED = ":/?#@!$&'()*+,;=";

    /** There are few, and many events. */
    private static final int MANY = 1000;

    private static final int LONG = 1000;

    private final Map<String, String> known = new ConcurrentHashMap<>();

    String referenceOf(String source) {
        String reference = known.get(source);
        if (reference == null) {
            reference = mended(source);
            if (known.size() < MANY && source.length() < LONG) {
                known.put(source, reference);
            }
        }
        return reference;
    }

    private static String mended(String source) {
        if (isReference(source)) {
            return source;
        }
        String careful = encoded(source, UNRESERVED + RESERVED);
        return isReference(careful) ? careful : encoded(source, UNRESERVED);
    }

    private static boolean isReference(String text) {
        try {
            new URI(text);
            return true;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private static String encoded(String text, String kept) {
        StringBuilder encoded = new StringBuilder(text.length() + 16);
        for (byte one : text.getBytes(UTF_8)) {
            char character = (char) (one & 0xFF);
            boolean plain = character >= 'a' && character <= 'z'
                    || character >= 'A' && character <= 'Z'
                    || character >= '0' && character <= '9';
            if (plain || kept.indexOf(character) >= 0) {
                encoded.append(character);
            } else {
                encoded.append('%').append(String.format("%02X", one));
            }
        }
        return encoded.toString();
    }
}
