package dev.postrider.internal.spring.endpoint;

import dev.postrider.Payload;
import dev.postrider.admin.DeadLetter;
import dev.postrider.admin.DeadLetterContent;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How dead letters are shown. */
final class DeadLetterJson {
    private static final String HIDDEN = "hidden; postrider.endpoints.show-payloads=always shows it";

    private DeadLetterJson() {}

    static Map<String, Object> of(DeadLetter letter) {
        return Answer.object(
                "id",
                letter.id(),
                "eventId",
                letter.eventId().toString(),
                "type",
                letter.type(),
                "aggregate",
                letter.aggregateType() + "/" + letter.aggregateId(),
                "key",
                letter.key(),
                "attempts",
                letter.attempts(),
                "errorClass",
                letter.errorClass(),
                "reason",
                letter.reason(),
                "firstFailedAt",
                letter.firstFailedAt().toString(),
                "diedAt",
                letter.diedAt().toString());
    }

    static Map<String, Object> of(DeadLetterContent content, boolean showPayload) {
        Map<String, Object> letter = of(content.letter());
        letter.putAll(Answer.object(
                "source",
                content.source(),
                "contentType",
                content.contentType(),
                "size",
                content.size(),
                "requestId",
                content.requestId(),
                "occurredAt",
                content.occurredAt().toString(),
                "createdAt",
                content.createdAt().toString()));
        if (showPayload) {
            letter.putAll(shown(content.payload()));
            letter.putAll(Answer.object("headers", content.headers()));
        } else {
            letter.put("payload", HIDDEN);
        }
        return letter;
    }

    private static Map<String, Object> shown(@Nullable Payload payload) {
        if (payload == null) {
            return Answer.object("payload", "too large to be shown");
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(payload.bytes()))
                    .toString();
            return Answer.object("payload", text);
        } catch (CharacterCodingException e) {
            return Answer.object("payloadBase64", Base64.getEncoder().encodeToString(payload.bytes()));
        }
    }

    /** Those with the most letters first. */
    static List<Map<String, Object>> byErrorClass(List<DeadLetter> letters) {
        Map<String, List<DeadLetter>> groups = letters.stream().collect(Collectors.groupingBy(DeadLetter::errorClass));
        return groups.values().stream()
                .sorted(Comparator.<List<DeadLetter>>comparingInt(List::size)
                        .reversed()
                        .thenComparing(group -> group.get(0).errorClass()))
                .map(DeadLetterJson::group)
                .toList();
    }

    /** They come in the order of their deaths, the last one first. */
    private static Map<String, Object> group(List<DeadLetter> group) {
        DeadLetter last = group.get(0);
        return Answer.object(
                "errorClass",
                last.errorClass(),
                "letters",
                group.size(),
                "types",
                group.stream()
                        .map(DeadLetter::type)
                        .distinct()
                        .sorted()
                        .limit(20)
                        .toList(),
                "firstDiedAt",
                group.get(group.size() - 1).diedAt().toString(),
                "lastDiedAt",
                last.diedAt().toString(),
                "lastReason",
                last.reason());
    }
}
