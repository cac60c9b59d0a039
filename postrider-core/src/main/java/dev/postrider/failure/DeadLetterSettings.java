package dev.postrider.failure;

import dev.postrider.settings.Formats;
import dev.postrider.settings.Option;
import dev.postrider.settings.OptionGroup;
import dev.postrider.settings.OptionValues;
import java.nio.file.Path;

/**
 * What happens to events that are given up.
 *
 * @param then whether the later events of the key go on
 * @param file where dead letters are written if the database's table cannot take them
 * @param includePayload whether alert and log line contain payload and headers of a dead letter that neither table nor
 *     file could take. If not, the event can be rebuilt only as long as its row is in the outbox
 */
public record DeadLetterSettings(Then then, Path file, boolean includePayload) {
    private static final OptionGroup.Builder GROUP = OptionGroup.titled("Dead letters");

    private static final Option<Then> THEN = GROUP.add(Option.of(
            "relay.dead-letter.then",
            Formats.oneOf(Then.class),
            Then.CONTINUE,
            "Whether the later events of a dead letter's key are sent (continue) or wait for an operator (hold-key)."));
    private static final Option<Path> FILE = GROUP.add(Option.of(
            "relay.dead-letter.file",
            Formats.FILE,
            Path.of("postrider-dead-letters.jsonl"),
            "Takes dead letters that the database cannot take."));
    private static final Option<Boolean> TELL_PAYLOAD = GROUP.add(Option.of(
            "alerts.include-payload",
            Formats.YES_OR_NO,
            true,
            "Whether alerts and the log include the payload of a dead letter that neither table nor file takes."));

    public static final OptionGroup OPTIONS = GROUP.build();

    public static final DeadLetterSettings DEFAULT = of(OptionValues.NONE);

    /** Includes payloads in alerts and the log if neither table nor file can take a dead letter. */
    public DeadLetterSettings(Then then, Path file) {
        this(then, file, true);
    }

    public static DeadLetterSettings of(OptionValues values) {
        return new DeadLetterSettings(values.get(THEN), values.get(FILE), values.get(TELL_PAYLOAD));
    }

    /** What happens to the later events of a dead letter's key. */
    public enum Then {
        /** They are sent without the dead letter before them. */
        CONTINUE,
        /** They wait until a person has sent the dead letter again or discarded it. */
        HOLD_KEY
    }
}
