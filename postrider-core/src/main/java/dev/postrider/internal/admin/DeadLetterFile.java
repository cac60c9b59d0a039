package dev.postrider.internal.admin;

import dev.postrider.internal.store.AdminStore.SavedEvent;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The file into which relays write dead letters that the database cannot take: one row of the outbox per
 * line, as JSON. Read line by line; one that was cut off or damaged does not spoil the others.
 */
final class DeadLetterFile implements AutoCloseable {
    private final InputStream in;
    private long number;

    private DeadLetterFile(InputStream in) {
        this.in = in;
    }

    static DeadLetterFile open(Path file) throws IOException {
        return new DeadLetterFile(new BufferedInputStream(Files.newInputStream(file)));
    }

    /** A line that is not empty, by its number from 1. */
    sealed interface Line {
        record Event(long number, SavedEvent event) implements Line {}

        record Broken(long number, String what) implements Line {}
    }

    /**
     * @return null at the end
     */
    @Nullable
    Line next() throws IOException {
        for (byte[] bytes = nextBytes(); bytes != null; bytes = nextBytes()) {
            number++;
            Optional<String> text = decode(bytes);
            if (text.isEmpty()) {
                return new Line.Broken(number, "it is not UTF-8");
            }
            if (!text.get().isBlank()) {
                return parse(text.get());
            }
        }
        return null;
    }

    private byte @Nullable [] nextBytes() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = in.read();
        if (next < 0) {
            return null;
        }
        while (next >= 0 && next != '\n') {
            line.write(next);
            next = in.read();
        }
        return line.toByteArray();
    }

    /** Strictly: a character replaced by a question mark would be a changed payload. */
    private static Optional<String> decode(byte[] bytes) {
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    private Line parse(String json) {
        try {
            JsonNode row = JsonMapper.shared().readTree(json);
            return new Line.Event(
                    number,
                    new SavedEvent(
                            row.required("id").longValue(),
                            UUID.fromString(row.required("event_id").stringValue()),
                            row.required("aggregate_type").stringValue(),
                            row.required("aggregate_id").stringValue(),
                            row.path("event_key").stringValue(null),
                            !row.path("payload_omitted").booleanValue(false),
                            json));
        } catch (JacksonException e) {
            return new Line.Broken(number, "it is not a row of the outbox as JSON; it may have been cut off");
        } catch (IllegalArgumentException e) {
            return new Line.Broken(number, "its event id is not a UUID");
        }
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
