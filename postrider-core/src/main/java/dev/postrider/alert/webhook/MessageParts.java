package dev.postrider.alert.webhook;

import dev.postrider.alert.Alert;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/**
 * An alert in parts that respect the limits of a chat room.
 *
 * @param title one line
 * @param text the text, in pieces; at least one
 * @param fields those that fit into the first message
 * @param longFields the others, in pieces
 */
record MessageParts(String title, List<String> text, Map<String, String> fields, Map<String, List<String>> longFields) {

    /**
     * Numbers of characters, but for {@code fields}, which is the number of fields in the first message.
     */
    record Limits(int title, int piece, int fields, int fieldName, int fieldValue, int allFields) {}

    /**
     * @param escape how one character is written
     */
    static MessageParts of(Alert alert, Limits limits, IntFunction<String> escape) {
        Map<String, String> fields = new LinkedHashMap<>();
        Map<String, List<String>> longFields = new LinkedHashMap<>();
        int room = limits.allFields();
        for (Map.Entry<String, String> field : alert.fields().entrySet()) {
            String value = escaped(field.getValue(), escape);
            int length = field.getKey().length() + value.length();
            boolean fits = value.length() <= limits.fieldValue()
                    && field.getKey().length() <= limits.fieldName()
                    && fields.size() < limits.fields()
                    && length <= room;
            if (fits) {
                fields.put(field.getKey(), value);
                room -= length;
            } else {
                longFields.put(field.getKey(), pieces(field.getValue(), limits.piece(), escape));
            }
        }
        boolean titleFits = alert.title().length() <= limits.title();
        String title = titleFits
                ? alert.title()
                : pieces(alert.title(), limits.title(), Character::toString).get(0);
        String text = titleFits ? alert.text() : alert.title() + "\n" + alert.text();
        return new MessageParts(title, pieces(text, limits.piece(), escape), fields, longFields);
    }

    static String escaped(String text, IntFunction<String> escape) {
        return text.codePoints().mapToObj(escape).collect(Collectors.joining());
    }

    /** Never cuts a character, nor what it was escaped to, in two. */
    private static List<String> pieces(String text, int limit, IntFunction<String> escape) {
        List<String> pieces = new ArrayList<>();
        StringBuilder piece = new StringBuilder();
        text.codePoints().mapToObj(escape).forEach(character -> {
            if (piece.length() + character.length() > limit) {
                pieces.add(piece.toString());
                piece.setLength(0);
            }
            piece.append(character);
        });
        pieces.add(piece.toString());
        return pieces;
    }

    /** The pieces of the long fields as texts of their own: name and number, then the piece as a block of code. */
    List<String> longTexts() {
        List<String> texts = new ArrayList<>();
        longFields.forEach((name, pieces) -> {
            for (int i = 0; i < pieces.size(); i++) {
                texts.add(name + " " + (i + 1) + "/" + pieces.size() + "\n```\n" + pieces.get(i) + "\n```");
            }
        });
        return texts;
    }
}
