package dev.postrider.settings;

import dev.postrider.PostriderException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How the content of events is checked before they are sent.
 *
 * @param check whether an event must have a content hash
 * @param keyFile file with the key that writers sign events with; null if they do not
 */
public record IntegritySettings(Check check, @Nullable Path keyFile) {
    private static final OptionGroup.Builder GROUP = OptionGroup.titled("Integrity");

    public static final Option<Check> CHECK = GROUP.add(Option.of(
            "relay.integrity",
            Formats.oneOf(Check.class),
            Check.OPTIONAL,
            "Whether an event without a content hash, as plain SQL writes it, is sent (optional) or becomes a dead letter"
                    + " (required)."));
    public static final Option<Path> KEY_FILE = GROUP.add(Option.withoutDefault(
            "relay.integrity-key-file",
            Formats.FILE,
            "File with the key that writers sign events with. Events that are not signed with it are not sent."));

    public static final OptionGroup OPTIONS = GROUP.build();

    /** Whether an event must have a content hash. */
    public enum Check {
        /** The hash is checked if the event has one. */
        OPTIONAL,
        /** The event must have a hash. */
        REQUIRED
    }

    public static IntegritySettings of(OptionValues values) {
        return new IntegritySettings(values.get(CHECK), values.find(KEY_FILE).orElse(null));
    }

    /**
     * The content of the key file; null if there is none.
     *
     * @throws PostriderException if the file cannot be read
     */
    public byte @Nullable [] readKey() {
        if (keyFile == null) {
            return null;
        }
        try {
            return Files.readAllBytes(keyFile);
        } catch (IOException e) {
            throw new PostriderException(
                    "The integrity key cannot be read from " + keyFile + ", as " + KEY_FILE.key() + " says: "
                            + (Files.exists(keyFile) ? "check its permissions." : "there is no such file."),
                    e);
        }
    }
}
