package dev.postrider.cli;

import dev.postrider.EventStatus;
import dev.postrider.OutboxStatus;
import dev.postrider.OutboxTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An outbox's status in words and in JSON. */
final class StatusReport {
    private StatusReport() {}

    static Map<String, Object> json(OutboxTable table, OutboxStatus status) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("table", table.toString());
        object.put("mode", status.mode());
        Map<String, Object> counts = new LinkedHashMap<>();
        for (EventStatus state : EventStatus.values()) {
            counts.put(state.name(), status.counts().getOrDefault(state, 0L));
        }
        object.put("counts", counts);
        object.put("oldestUnsentSeconds", status.oldestUnsent() == null ? null : seconds(status.oldestUnsent()));
        object.put(
                "relays",
                status.relays().stream()
                        .map(relay -> ordered(
                                "owner", relay.owner(),
                                "alive", relay.alive(),
                                "sending", relay.sending(),
                                "ageSeconds", seconds(relay.age()),
                                "circuit", relay.circuit()))
                        .toList());
        object.put(
                "openTransactions",
                status.openTransactions().stream()
                        .map(open ->
                                ordered("pid", open.pid(), "ageSeconds", seconds(open.age()), "state", open.state()))
                        .toList());
        return object;
    }

    private static Map<String, Object> ordered(Object... namesAndValues) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return object;
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }

    static String text(OutboxTable table, OutboxStatus status) {
        StringBuilder text = new StringBuilder("Outbox %s, mode %s%n%n".formatted(table, status.mode()));
        TextTable events = new TextTable("EVENTS", ">");
        for (EventStatus state : EventStatus.values()) {
            events.row(state.name(), count(status.counts().getOrDefault(state, 0L)));
        }
        events.row("oldest unsent", age(status.oldestUnsent()));
        text.append(events).append(System.lineSeparator());
        if (status.relays().isEmpty()) {
            text.append("No relay is running.%n".formatted());
        } else {
            TextTable relays = new TextTable("RELAY", "STATE", "CIRCUIT", ">SENDING", ">UP");
            for (OutboxStatus.RelayLease relay : status.relays()) {
                relays.row(
                        relay.owner(),
                        relay.alive() ? "alive" : "dead",
                        relay.circuit(),
                        count(relay.sending()),
                        age(relay.age()));
            }
            text.append(relays);
        }
        if (!status.openTransactions().isEmpty()) {
            TextTable open = new TextTable("OPEN WRITE TRANSACTION", "STATE", ">OPEN FOR");
            for (OutboxStatus.OpenTransaction one : status.openTransactions()) {
                open.row("server process " + one.pid(), one.state(), age(one.age()));
            }
            text.append(System.lineSeparator()).append(open);
        }
        return text.toString();
    }

    private static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number) + (number >= OutboxStatus.COUNT_CAP ? "+" : "");
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
