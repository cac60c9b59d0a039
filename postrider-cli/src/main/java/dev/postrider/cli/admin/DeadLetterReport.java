package dev.postrider.cli.admin;

import dev.postrider.Payload;
import dev.postrider.admin.DeadLetter;
import dev.postrider.admin.DeadLetterContent;
import dev.postrider.admin.DeadLetterPage;
import dev.postrider.cli.command.Colours;
import dev.postrider.cli.command.TextTable;
import dev.postrider.cli.command.Words;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Dead letters in words and in JSON. */
final class DeadLetterReport {
    private static final int REASON_LENGTH = 60;

    private DeadLetterReport() {}

    static String table(DeadLetterPage page, Colours colours) {
        TextTable table = new TextTable(">ID", "DIED", "TYPE", "AGGREGATE", ">ATTEMPTS", "ERROR CLASS", "REASON");
        for (DeadLetter letter : page.letters()) {
            table.row(
                    String.valueOf(letter.id()),
                    Words.time(letter.diedAt()),
                    Words.plain(letter.type()),
                    Words.plain(letter.aggregateType() + "/" + letter.aggregateId()),
                    String.valueOf(letter.attempts()),
                    Words.plain(letter.errorClass()),
                    Words.shortened(letter.reason(), REASON_LENGTH));
        }
        return table.text(colours);
    }

    static Map<String, Object> json(DeadLetter letter) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("id", letter.id());
        object.put("eventId", letter.eventId().toString());
        object.put("type", letter.type());
        object.put("aggregateType", letter.aggregateType());
        object.put("aggregateId", letter.aggregateId());
        object.put("key", letter.key());
        object.put("attempts", letter.attempts());
        object.put("errorClass", letter.errorClass());
        object.put("reason", letter.reason());
        object.put("firstFailedAt", letter.firstFailedAt().toString());
        object.put("diedAt", letter.diedAt().toString());
        object.put("row", row(letter));
        return object;
    }

    static Map<String, Object> json(DeadLetterContent content) {
        Map<String, Object> object = json(content.letter());
        object.put("source", content.source());
        object.put("requestId", content.requestId());
        object.put("occurredAt", content.occurredAt().toString());
        object.put("createdAt", content.createdAt().toString());
        object.put("maxRetries", content.maxRetries());
        object.put("contentHash", content.contentHash());
        object.put("headers", content.headers());
        object.put("contentType", content.contentType());
        object.put("bytes", content.size());
        Payload payload = content.payload();
        if (payload != null) {
            object.put(
                    payload.isJson() ? "payload" : "payloadBase64",
                    payload.isJson() ? payload.text() : base64(payload));
        }
        return object;
    }

    static String text(DeadLetterContent content) {
        DeadLetter letter = content.letter();
        StringBuilder text = new StringBuilder("Dead letter %d%n%n".formatted(letter.id()));
        line(text, "event id", letter.eventId());
        line(text, "type", letter.type());
        line(text, "aggregate", letter.aggregateType() + "/" + letter.aggregateId());
        line(text, "key", letter.key());
        line(text, "source", content.source());
        line(text, "request id", content.requestId());
        line(text, "occurred", content.occurredAt());
        line(text, "written", content.createdAt());
        line(text, "failed first", letter.firstFailedAt());
        line(text, "died", letter.diedAt());
        line(text, "attempts", letter.attempts());
        line(text, "max retries", content.maxRetries());
        line(text, "error class", letter.errorClass());
        line(text, "reason", letter.reason());
        line(text, "row", row(letter));
        line(text, "content hash", content.contentHash());
        line(text, "headers", content.headers());
        line(text, "content type", content.contentType());
        Payload payload = content.payload();
        if (payload == null) {
            line(text, "payload", "not shown: with its headers the event has at least " + content.size() + " bytes");
            return text.toString();
        }
        text.append(payload.isJson() ? "%n%s%n".formatted(payload.text()) : "%n%s%n".formatted(base64(payload)));
        return text.toString();
    }

    private static void line(StringBuilder text, String name, @Nullable Object value) {
        if (value != null) {
            text.append("  %-12s  %s%n".formatted(name, Words.plain(value.toString())));
        }
    }

    private static String row(DeadLetter letter) {
        return letter.rowStatus() == null ? "gone" : letter.rowStatus().name();
    }

    private static String base64(Payload payload) {
        return Base64.getEncoder().encodeToString(payload.bytes());
    }
}
