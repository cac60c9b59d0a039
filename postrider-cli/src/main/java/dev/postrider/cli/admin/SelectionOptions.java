package dev.postrider.cli.admin;

import dev.postrider.PostriderException;
import dev.postrider.admin.DeadLetterSelection;
import dev.postrider.cli.command.Moment;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.settings.Format;
import dev.postrider.settings.Formats;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which dead letters a command is about. All that is said must hold. */
final class SelectionOptions {
    static final Format<Long> ID = Formats.wholeNumberOfAtLeast(1);

    private static final Format<UUID> EVENT_ID =
            Format.of(UUID.class, "<uuid>", "a UUID", UUID::fromString, UUID::toString);

    @Option(
            names = "--id",
            split = ",",
            paramLabel = "<id>",
            description = "Id of its row in the outbox. Several: repeated, or separated by commas.")
    private List<String> ids = new ArrayList<>();

    @Option(
            names = "--event-id",
            split = ",",
            paramLabel = "<uuid>",
            description = "Id of the event. Several: repeated, or separated by commas.")
    private List<String> eventIds = new ArrayList<>();

    @Option(
            names = "--key",
            paramLabel = "<key>",
            description = "Key of the message: the event's own, or else the aggregate's id.")
    private @Nullable String key;

    @Option(names = "--aggregate", paramLabel = AggregateName.LABEL, description = "Type and id of the aggregate.")
    private @Nullable String aggregate;

    @Option(names = "--type", paramLabel = "<type>", description = "Type of the event.")
    private @Nullable String type;

    @Option(
            names = "--error-class",
            paramLabel = "<class>",
            description = "Kind of failure, as the list shows it, for example integrity.")
    private @Nullable String errorClass;

    @Option(
            names = "--since",
            paramLabel = Moment.LABEL,
            description = "Died at this time or later: 2026-03-01T12:00:00Z, or 2h for two hours ago.")
    private @Nullable String since;

    @Option(names = "--until", paramLabel = Moment.LABEL, description = "Died before this time.")
    private @Nullable String until;

    @Option(names = "--all", description = "Every dead letter.")
    private boolean all;

    /** Checks what was said, before anybody is asked anything. */
    Parsed parse() {
        DeadLetterSelection.Builder builder = DeadLetterSelection.builder()
                .ids(ids.stream().map(text -> ID.parse(text, "--id")).toList())
                .eventIds(eventIds.stream()
                        .map(text -> EVENT_ID.parse(text, "--event-id"))
                        .toList())
                .key(key)
                .type(type)
                .errorClass(errorClass);
        if (aggregate != null) {
            AggregateName name = AggregateName.read(aggregate, "--aggregate");
            builder.aggregate(name.type(), name.id());
        }
        Parsed parsed = new Parsed(
                builder, Moment.read(since, "--since"), Moment.read(until, "--until"), all, isSomethingSaid());
        if (all && parsed.something()) {
            throw new UsageException("--all means every dead letter; leave out the other conditions, or --all.");
        }
        return parsed;
    }

    private boolean isSomethingSaid() {
        return !ids.isEmpty()
                || !eventIds.isEmpty()
                || key != null
                || aggregate != null
                || type != null
                || errorClass != null
                || since != null
                || until != null;
    }

    /** A selection, but for the times that count from the database's clock. */
    record Parsed(
            DeadLetterSelection.Builder builder,
            @Nullable Moment since,
            @Nullable Moment until,
            boolean all,
            boolean something) {

        /** For commands that change something: nothing said is not everything. */
        Parsed orRefuse() {
            if (!all && !something) {
                throw new UsageException("Which dead letters? Say it by --id, --event-id, --key, --aggregate, --type,"
                        + " --error-class, --since or --until, or say --all.");
            }
            return this;
        }

        DeadLetterSelection at(Instant now) {
            if (!something) {
                return DeadLetterSelection.all();
            }
            try {
                return builder.diedSince(since == null ? null : since.at(now))
                        .diedUntil(until == null ? null : until.at(now))
                        .build();
            } catch (PostriderException e) {
                throw new UsageException(String.valueOf(e.getMessage()));
            }
        }
    }
}
