package dev.postrider.cli.topics;

import dev.postrider.PostriderException;
import dev.postrider.cli.command.Moment;
import dev.postrider.cli.settings.CliFormats;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.kafka.redrive.RedriveFilter;
import dev.postrider.kafka.redrive.RedriveRequest;
import dev.postrider.settings.Formats;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which records of which dead letter topic are sent back, and where. All conditions that are given must hold. */
final class RedriveOptions {
    @Parameters(paramLabel = "<topic.dlq>", description = "The dead letter topic, with its prefix and suffix.")
    private String topic = "";

    @Option(
            names = "--reason",
            paramLabel = "<class>",
            description = "Class of the exception they died of, with or without its package.")
    private @Nullable String reason;

    @Option(
            names = "--message",
            paramLabel = "<text>",
            description = "Text that the message of that exception contains.")
    private @Nullable String message;

    @Option(names = "--key", paramLabel = "<key>", description = "Key of the record.")
    private @Nullable String key;

    @Option(names = "--group", paramLabel = "<group>", description = "Consumer group that gave them up.")
    private @Nullable String group;

    @Option(
            names = "--since",
            paramLabel = Moment.LABEL,
            description = "Died at this time or later: 2026-03-01T12:00:00Z, or 2h for two hours ago.")
    private @Nullable String since;

    @Option(names = "--until", paramLabel = Moment.LABEL, description = "Died before this time.")
    private @Nullable String until;

    @Option(
            names = "--limit",
            paramLabel = "<number>",
            description = "Send so many at most; the next run goes on behind them.")
    private @Nullable String limit;

    @Option(
            names = "--to",
            paramLabel = "<topic>",
            description = "Send them all to this topic. Default: each to the topic it came from, as its headers say.")
    private @Nullable String to;

    @Option(
            names = "--again",
            description =
                    "Forget which records of this dead letter topic were sent before. Without it no record is sent"
                            + " twice to the same topic.")
    private boolean again;

    boolean again() {
        return again;
    }

    /**
     * Checks what was said, before anybody is asked anything.
     *
     * @param suffix of dead letter topics
     */
    RedriveRequest request(String suffix, Instant now) {
        String deadLetters = CliFormats.TOPIC.parse(topic, "<topic.dlq>");
        if (suffix.isEmpty() || !deadLetters.endsWith(suffix) || deadLetters.equals(suffix)) {
            throw new UsageException("[" + deadLetters + "] is not the name of a dead letter topic: those end with "
                    + suffix + " (topics.dead-letter-suffix).");
        }
        long most =
                limit == null ? Long.MAX_VALUE : Formats.wholeNumberOfAtLeast(1).parse(limit, "--limit");
        String destination = to == null ? null : CliFormats.TOPIC.parse(to, "--to");
        Moment begin = Moment.read(since, "--since");
        Moment end = Moment.read(until, "--until");
        Instant clock = now.truncatedTo(ChronoUnit.SECONDS);
        try {
            RedriveFilter filter = RedriveFilter.builder()
                    .reason(reason)
                    .message(message)
                    .key(key)
                    .group(group)
                    .since(begin == null ? null : begin.at(clock))
                    .until(end == null ? null : end.at(clock))
                    .build();
            return new RedriveRequest(deadLetters, filter, destination, again, most);
        } catch (PostriderException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }
}
