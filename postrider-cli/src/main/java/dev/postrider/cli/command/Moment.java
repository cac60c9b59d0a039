package dev.postrider.cli.command;

import dev.postrider.settings.Format;
import dev.postrider.settings.Formats;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A time as an operator gives it: as such, or as so long ago, by the clock of whoever is asked. */
public record Moment(UnaryOperator<Instant> fromNow) {
    public static final String LABEL = "<time>";

    private static final Format<Moment> FORMAT = Format.of(
            Moment.class,
            LABEL,
            "a time such as 2026-03-01T12:00:00Z, or so long ago, such as 30m, 2h or 7d",
            Moment::parse,
            moment -> LABEL);

    public static @Nullable Moment read(@Nullable String text, String option) {
        return text == null ? null : FORMAT.parse(text, option);
    }

    private static Moment parse(String text) {
        if (text.contains("T")) {
            Instant time = OffsetDateTime.parse(text).toInstant();
            return new Moment(now -> time);
        }
        Duration ago = Formats.DURATION.parse(text, LABEL);
        return new Moment(now -> now.minus(ago));
    }

    public Instant at(Instant now) {
        return fromNow.apply(now);
    }
}
