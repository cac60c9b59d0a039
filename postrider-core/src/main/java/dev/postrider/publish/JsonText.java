package dev.postrider.publish;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/**
 * The text of a payload that is said to be JSON. It should be UTF-8 and begin with the document; some writers begin with a mark
 * of the byte order, or write UTF-16 or UTF-32, which parsers recognise and which cannot stand inside of another document.
 */
final class JsonText {
    private static final Charset UTF_32BE = Charset.forName("UTF-32BE");
    private static final Charset UTF_32LE = Charset.forName("UTF-32LE");
    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private JsonText() {}

    /**
     * @throws InvalidEventException if the bytes are no text
     */
    static String of(byte[] body) {
        try {
            // Strictly: a character that is replaced is a changed payload.
            String text =
                    charsetOf(body).newDecoder().decode(ByteBuffer.wrap(body)).toString();
            return !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            throw new InvalidEventException(
                    "Its content type is application/json, and its payload has bytes that are no text.");
        }
    }

    /** JSON begins with a character of ASCII, so zeros and marks among the first bytes tell. */
    private static Charset charsetOf(byte[] body) {
        int first = at(body, 0) << 8 | at(body, 1);
        int second = at(body, 2) << 8 | at(body, 3);
        boolean four = body.length >= 4;
        if (four && first == 0 && (second == 0xFEFF || second >> 8 == 0)) {
            return UTF_32BE;
        }
        if (four && second == 0 && (first == 0xFFFE || (first & 0xFF) == 0)) {
            return UTF_32LE;
        }
        if (body.length >= 2 && (first == 0xFEFF || first >> 8 == 0)) {
            return StandardCharsets.UTF_16BE;
        }
        if (body.length >= 2 && (first == 0xFFFE || (first & 0xFF) == 0)) {
            return StandardCharsets.UTF_16LE;
        }
        return StandardCharsets.UTF_8;
    }

    private static int at(byte[] body, int index) {
        return index < body.length ? body[index] & 0xFF : 0xFF;
    }
}
