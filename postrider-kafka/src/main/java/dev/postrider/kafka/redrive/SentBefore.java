package dev.postrider.kafka.redrive;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.postrider.PostriderException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What runs have sent from one partition of a dead letter topic: how far each filter has come. The brokers keep it, as the
 * metadata of the group's offset. So a run knows what was sent by others, with whatever filter, and sends it to the same
 * topic no more.
 *
 * @param passes the one that made progress last at the end
 */
record SentBefore(List<Pass> passes) {
    private static final Logger log = LoggerFactory.getLogger(Redrive.class);
    private static final JsonMapper JSON = JsonMapper.shared();

    /** Brokers accept 4096 bytes, unless they are told otherwise. */
    private static final int LARGEST = 3_500;

    static final SentBefore NOTHING = new SentBefore(List.of());

    /** A filter with which somebody went through the partition, up to an offset that is not included. */
    record Pass(RedriveFilter filter, @Nullable String to, long position) {

        boolean isOf(RedriveRequest request) {
            return filter.equals(request.filter()) && Objects.equals(to, request.to());
        }

        private boolean hasSent(DeadLetter letter, String destination) {
            return letter.record().offset() < position
                    && destination.equals(to == null ? letter.topic() : to)
                    && filter.matches(letter);
        }
    }

    SentBefore {
        passes = List.copyOf(passes);
    }

    /** Whether the letter was sent to this topic. */
    boolean has(DeadLetter letter, String destination) {
        return passes.stream().anyMatch(pass -> pass.hasSent(letter, destination));
    }

    /** Where the same request goes on. */
    long positionOf(RedriveRequest request) {
        return passes.stream()
                .filter(pass -> pass.isOf(request))
                .mapToLong(Pass::position)
                .findFirst()
                .orElse(0);
    }

    SentBefore with(RedriveRequest request, long position) {
        List<Pass> all = new ArrayList<>(passes);
        all.removeIf(pass -> pass.isOf(request));
        all.add(new Pass(request.filter(), request.to(), position));
        return new SentBefore(all);
    }

    /** The offset that tools show: everything before it was sent back, or could not be. */
    long offset() {
        return passes.stream()
                .filter(pass -> pass.filter().isEverything() && pass.to() == null)
                .mapToLong(Pass::position)
                .findFirst()
                .orElse(0);
    }

    /**
     * As text. If there are too many filters, those that were used longest ago are forgotten.
     *
     * @param topicId of the dead letter topic: one that is created again under the same name has other records
     * @throws PostriderException if a single filter is too long
     */
    String text(String topicId) {
        for (int forgotten = 0; forgotten < passes.size(); forgotten++) {
            String text = text(topicId, passes.subList(forgotten, passes.size()));
            if (text.getBytes(UTF_8).length <= LARGEST) {
                if (forgotten > 0) {
                    log.warn(
                            "Forgot what {} earlier redrives with other filters have sent: the brokers keep no more.",
                            forgotten);
                }
                return text;
            }
        }
        throw new PostriderException("The filter is too long to be kept at the brokers: use shorter texts.");
    }

    private static String text(String topicId, List<Pass> passes) {
        List<Map<String, Object>> all = new ArrayList<>();
        for (Pass pass : passes) {
            Map<String, Object> one = new LinkedHashMap<>(pass.filter().conditions());
            if (pass.to() != null) {
                one.put("to", pass.to());
            }
            one.put("position", pass.position());
            all.add(one);
        }
        return JSON.writeValueAsString(Map.of("topic", topicId, "passes", all));
    }

    /** What {@link #text} has written; nothing if it was somebody else, or about a topic that is gone. */
    static SentBefore read(@Nullable String text, String topicId) {
        if (text == null || text.isBlank()) {
            return NOTHING;
        }
        try {
            JsonNode all = JSON.readTree(text);
            if (!topicId.equals(all.path("topic").asString(""))) {
                return NOTHING;
            }
            List<Pass> passes = new ArrayList<>();
            for (JsonNode one : all.path("passes")) {
                passes.add(new Pass(
                        new RedriveFilter(
                                string(one, "reason"),
                                string(one, "message"),
                                string(one, "key"),
                                string(one, "group"),
                                time(one, "since"),
                                time(one, "until")),
                        string(one, "to"),
                        one.path("position").asLong(0)));
            }
            return new SentBefore(passes);
        } catch (JacksonException | DateTimeException e) {
            log.warn("The progress of earlier redrives cannot be read, and is not used.", e);
            return NOTHING;
        }
    }

    private static @Nullable String string(JsonNode object, String name) {
        return object.has(name) ? object.path(name).asString("") : null;
    }

    private static @Nullable Instant time(JsonNode object, String name) {
        String text = string(object, name);
        return text == null ? null : Instant.parse(text);
    }
}
