package dev.postrider.cli.status;

import dev.postrider.Delivery;
import dev.postrider.EventStatus;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxPause;
import dev.postrider.OutboxStatus;
import dev.postrider.OutboxTable;
import dev.postrider.cli.command.Colours;
import dev.postrider.cli.command.LayoutOptions;
import dev.postrider.cli.command.TextTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An outbox's status in words and in JSON. */
final class StatusReport {
    private StatusReport() {}

    static Map<String, @Nullable Object> json(OutboxTable table, OutboxStatus status) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        object.put("table", table.toString());
        object.putAll(LayoutOptions.json(status.layout()));
        OutboxPause pause = status.pause();
        object.put(
                "paused",
                pause == null
                        ? null
                        : ordered("by", pause.actor(), "since", pause.since().toString(), "reason", pause.reason()));
        Map<String, Object> counts = new LinkedHashMap<>();
        for (EventStatus state : EventStatus.values()) {
            counts.put(state.name(), status.count(state));
        }
        object.put("counts", counts);
        object.put("scheduled", isLog(status) ? status.scheduled() : null);
        object.put("oldestUnsentSeconds", secondsOrNull(status.oldestUnsent()));
        object.put(
                "blockedDestinations",
                status.blocked().stream()
                        .map(one -> ordered(
                                "name", one.name(),
                                "events", one.events(),
                                "sinceSeconds", seconds(one.since()),
                                "reason", one.reason()))
                        .toList());
        object.put("unexpectedStatus", status.unread().unexpectedStatus());
        object.put("passedIds", status.unread().passedIds());
        object.put(
                "failOvers",
                status.failOvers().stream()
                        .map(one -> ordered(
                                "shard", one.shard(),
                                "agoSeconds", seconds(one.ago()),
                                "fromTimeline", one.fromTimeline(),
                                "toTimeline", one.toTimeline()))
                        .toList());
        object.put(
                "cursors",
                status.shards().stream()
                        .map(shard -> ordered(
                                "shard", shard.number(),
                                "owner", shard.owner(),
                                "takeovers", shard.takeovers(),
                                "ahead", shard.events(),
                                "atLeast", shard.atLeast(),
                                "oldestSeconds", secondsOrNull(shard.oldest()),
                                "unmovedSeconds", seconds(shard.unmoved())))
                        .toList());
        object.put(
                "relays",
                status.relays().stream()
                        .map(relay -> ordered(
                                "owner", relay.owner(),
                                "alive", relay.alive(),
                                "sending", relay.sending(),
                                "shards", shardsOf(relay, status),
                                "ageSeconds", seconds(relay.age()),
                                "circuit", relay.circuit()))
                        .toList());
        OutboxStatus.Stream stream = status.stream();
        object.put(
                "replicationStream",
                stream == null ? null : ordered("reader", stream.reader(), "lacking", stream.lacking()));
        object.put(
                "openTransactions",
                status.openTransactions().stream()
                        .map(open -> ordered(
                                "pid", open.pid(),
                                "gid", open.gid(),
                                "ageSeconds", seconds(open.age()),
                                "state", open.state()))
                        .toList());
        return object;
    }

    private static boolean isLog(OutboxStatus status) {
        return status.layout().mode() == OutboxMode.LOG;
    }

    private static List<Integer> shardsOf(OutboxStatus.RelayLease relay, OutboxStatus status) {
        return status.shards().stream()
                .filter(shard -> relay.owner().equals(shard.owner()))
                .map(OutboxStatus.Shard::number)
                .toList();
    }

    private static Map<String, @Nullable Object> ordered(@Nullable Object... namesAndValues) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.put(String.valueOf(namesAndValues[i]), namesAndValues[i + 1]);
        }
        return object;
    }

    private static @Nullable Double secondsOrNull(@Nullable Duration duration) {
        return duration == null ? null : seconds(duration);
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }

    static String text(OutboxTable table, OutboxStatus status, Colours colours) {
        StringBuilder text = new StringBuilder(
                "Outbox %s, %s%n%n".formatted(table, status.layout().describe()));
        if (status.pause() != null) {
            text.append("%s%n'postrider resume' goes on.%n%n"
                    .formatted(colours.warning("Paused " + status.pause().asSentence())));
        }
        text.append(events(status, colours)).append(System.lineSeparator());
        if (!status.blocked().isEmpty()) {
            text.append(blocked(status, colours)).append(System.lineSeparator());
        }
        UnreadReport.of(table, status.layout(), status.unread())
                .forEach(one -> text.append("%s%nTo send: %s%n%n".formatted(one.finding(), one.fix())));
        if (!status.failOvers().isEmpty()) {
            text.append(failOvers(status)).append(System.lineSeparator());
        }
        if (!status.shards().isEmpty()) {
            text.append(shards(status, colours)).append(System.lineSeparator());
        }
        if (status.relays().isEmpty()) {
            text.append("No relay is running.%n".formatted());
        } else {
            text.append(relays(status, colours));
        }
        OutboxStatus.Stream stream = status.stream();
        if (stream != null) {
            text.append(System.lineSeparator()).append(wakeUp(stream));
        }
        if (!status.openTransactions().isEmpty()) {
            TextTable open = new TextTable("OPEN WRITE TRANSACTION", "STATE", ">OPEN FOR");
            for (OutboxStatus.OpenTransaction one : status.openTransactions()) {
                open.row(
                        one.gid() == null ? "server process " + one.pid() : "prepared as " + one.gid(),
                        one.state(),
                        age(one.age()));
            }
            text.append(System.lineSeparator()).append(open.text(colours));
        }
        return text.toString();
    }

    private static String wakeUp(OutboxStatus.Stream stream) {
        String text = stream.reader() == null
                ? "Relays are not woken by the replication stream, only by notifications and polling."
                : "Relays are woken by the replication stream, which " + stream.reader() + " reads.";
        List<String> missing = stream.reader() == null && stream.lacking().isEmpty()
                ? List.of("a relay with db.replication-user")
                : stream.lacking();
        return text
                + (missing.isEmpty() ? "" : " It lacks: " + String.join("; ", missing) + ".")
                + System.lineSeparator();
    }

    private static String events(OutboxStatus status, Colours colours) {
        TextTable events = new TextTable("EVENTS", ">NUMBER");
        for (EventStatus state : EventStatus.values()) {
            if (state != EventStatus.SENDING || !isLog(status)) {
                String number = count(status.count(state), status.isAtLeast(state));
                boolean bad = state == EventStatus.DEAD_LETTER && status.count(state) > 0;
                events.row(state.name(), bad ? colours.bad(number) : number);
            }
        }
        if (isLog(status)) {
            events.row("scheduled", count(status.scheduled(), status.scheduled() >= OutboxStatus.COUNT_CAP));
        }
        return events.row("oldest unsent", age(status.oldestUnsent())).text(colours);
    }

    private static String blocked(OutboxStatus status, Colours colours) {
        TextTable blocked = new TextTable("BLOCKED DESTINATION", ">WAITING", ">SINCE", "REASON");
        for (OutboxStatus.BlockedDestination one : status.blocked()) {
            blocked.row(
                    one.name(),
                    count(one.events(), one.events() >= OutboxStatus.COUNT_CAP),
                    age(one.since()),
                    one.reason().lines().findFirst().orElse(""));
        }
        return blocked.text(colours);
    }

    private static String failOvers(OutboxStatus status) {
        OutboxStatus.FailOver latest = status.failOvers().get(0);
        String shards = status.failOvers().stream()
                .filter(one -> one.toTimeline() == latest.toTimeline())
                .map(one -> String.valueOf(one.shard()))
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        return "The database failed over %s ago (timeline %d to %d). Shards that went on from the new server: %s.%n%s%n"
                .formatted(
                        age(latest.ago()),
                        latest.fromTimeline(),
                        latest.toTimeline(),
                        shards,
                        status.layout().delivery() == Delivery.EXACTLY_ONCE
                                ? "Delivery was at least once then, not exactly once: events that the old server had"
                                        + " delivered last may have come twice."
                                : "Events that the old server had delivered last may have come twice.");
    }

    private static String shards(OutboxStatus status, Colours colours) {
        TextTable shards = new TextTable(
                ">SHARD", "RELAY", ">OWNER CHANGES", ">NOT YET READ", ">OLDEST OF THEM", ">NO PROGRESS FOR");
        for (OutboxStatus.Shard shard : status.shards()) {
            shards.row(
                    String.valueOf(shard.number()),
                    shard.owner() == null ? "none" : shard.owner(),
                    count(shard.takeovers(), false),
                    count(shard.events(), shard.atLeast()),
                    age(shard.oldest()),
                    age(shard.unmoved()));
        }
        return shards.text(colours);
    }

    private static String relays(OutboxStatus status, Colours colours) {
        TextTable relays = new TextTable(
                "RELAY", "STATE", "CIRCUIT", isLog(status) ? ">SHARDS IT READS" : ">EVENTS IT SENDS", ">RUNNING FOR");
        for (OutboxStatus.RelayLease relay : status.relays()) {
            relays.row(
                    relay.owner(),
                    relay.alive() ? colours.good("alive") : colours.bad("dead"),
                    relay.circuit().equals("closed") ? relay.circuit() : colours.warning(relay.circuit()),
                    count(isLog(status) ? shardsOf(relay, status).size() : relay.sending(), false),
                    age(relay.age()));
        }
        return relays.text(colours);
    }

    private static String count(long number, boolean atLeast) {
        return String.format(Locale.ROOT, "%,d", number) + (atLeast ? "+" : "");
    }

    private static String age(@Nullable Duration age) {
        if (age == null) {
            return "-";
        }
        List<String> parts = new ArrayList<>();
        if (age.toHours() > 0) {
            parts.add(age.toHours() + " h");
        }
        if (age.toMinutes() > 0) {
            parts.add(age.toMinutesPart() + " min");
        }
        parts.add(parts.isEmpty() ? String.format(Locale.ROOT, "%.1f s", seconds(age)) : age.toSecondsPart() + " s");
        return String.join(" ", parts);
    }
}
