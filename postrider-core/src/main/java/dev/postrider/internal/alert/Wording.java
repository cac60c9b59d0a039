package dev.postrider.internal.alert;

import dev.postrider.alert.Alert;
import dev.postrider.alert.Alert.Severity;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** What the alerts of one outbox say. */
final class Wording {

    private final String relay;
    private final String outbox;

    Wording(String relay, String outbox) {
        this.relay = relay;
        this.outbox = outbox;
    }

    Alert pending(long count, long threshold) {
        return trouble(
                Alert.PENDING,
                Severity.WARNING,
                count + " events wait in outbox " + outbox,
                "More than " + threshold + " events are not published yet. Check that relays run and the"
                        + " destination accepts events: 'postrider status'.",
                fields("count", count, "threshold", threshold));
    }

    Alert pendingOver(long count, long threshold) {
        return recovery(
                Alert.PENDING,
                "Outbox " + outbox + " has caught up",
                count + " events are not published yet; no more than " + threshold + " is fine.",
                fields("count", count, "threshold", threshold));
    }

    Alert failed(long count, long threshold) {
        return trouble(
                Alert.FAILED,
                Severity.WARNING,
                count + " events of outbox " + outbox + " have failed",
                "More than " + threshold + " events wait for their retry. Their errors are in column last_error.",
                fields("count", count, "threshold", threshold));
    }

    Alert failedOver(long count, long threshold) {
        return recovery(
                Alert.FAILED,
                "Failed events of outbox " + outbox + " are few again",
                count + " events wait for their retry; no more than " + threshold + " is fine.",
                fields("count", count, "threshold", threshold));
    }

    Alert oldestAge(Duration age, Duration threshold) {
        return trouble(
                Alert.OLDEST_AGE,
                Severity.WARNING,
                "An event of outbox " + outbox + " has waited for " + inWords(age),
                "The oldest event not yet published is older than " + inWords(threshold)
                        + ". Check with 'postrider status' that relays run and the destination accepts events.",
                fields("age", inWords(age), "threshold", inWords(threshold)));
    }

    Alert oldestAgeOver(Duration age, Duration threshold) {
        return recovery(
                Alert.OLDEST_AGE,
                "Events of outbox " + outbox + " are on time again",
                "The oldest event not yet published has waited for " + inWords(age) + "; up to " + inWords(threshold)
                        + " is fine.",
                fields("age", inWords(age), "threshold", inWords(threshold)));
    }

    Alert paused(String why) {
        return trouble(
                Alert.PAUSED,
                Severity.WARNING,
                "Outbox " + outbox + " is paused " + why,
                "Relays send nothing. Events are written and wait; 'postrider resume' lets them go on.",
                fields());
    }

    Alert resumed() {
        return recovery(Alert.PAUSED, "Outbox " + outbox + " is resumed", "Relays send again.", fields());
    }

    Alert circuitOpen() {
        return trouble(
                Alert.CIRCUIT,
                Severity.CRITICAL,
                "The destination of outbox " + outbox + " accepts no events",
                "The circuit is open. Events wait in the outbox and lose none of their retries; the relay tries again"
                        + " by itself.",
                fields());
    }

    Alert circuitClosed() {
        return recovery(
                Alert.CIRCUIT,
                "The destination of outbox " + outbox + " accepts events again",
                "The circuit is closed.",
                fields());
    }

    Alert unanswered(long count, Duration age) {
        return trouble(
                Alert.UNANSWERED,
                Severity.WARNING,
                "The destination of outbox " + outbox + " has not answered for " + inWords(age),
                count
                        + " events were handed over and neither accepted nor refused. They are given up, and sent again, when"
                        + " the destination's own timeout is over; until then what is behind them waits.",
                fields("count", count, "age", inWords(age)));
    }

    Alert answered() {
        return recovery(
                Alert.UNANSWERED,
                "The destination of outbox " + outbox + " answers again",
                "No event has been without an answer for too long.",
                fields());
    }

    Alert destinationsBlocked(Map<String, String> blocked) {
        String named = blocked.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .limit(10)
                .map(one -> one.getKey() + " (" + one.getValue() + ")")
                .collect(Collectors.joining(", "));
        return trouble(
                Alert.DESTINATION,
                Severity.CRITICAL,
                "Destinations of outbox " + outbox + " accept no events: " + named,
                "Their events wait and lose none of their retries; others go on. The relay's log and 'postrider doctor' say"
                        + " what to do.",
                fields("destinations", blocked.size()));
    }

    Alert destinationsBack() {
        return recovery(
                Alert.DESTINATION,
                "All destinations of outbox " + outbox + " accept events again",
                "What waited for them is sent.",
                fields());
    }

    Alert failureRate(long perMinute, long threshold) {
        return trouble(
                Alert.FAILURE_RATE,
                Severity.WARNING,
                perMinute + " attempts a minute fail in outbox " + outbox,
                "More than " + threshold + " attempts to publish failed within a minute. The events are tried again.",
                fields("count", perMinute, "threshold", threshold));
    }

    Alert recovered(long count) {
        return trouble(
                Alert.RECOVERED,
                Severity.WARNING,
                count + " events of outbox " + outbox + " were taken over from a dead relay",
                "A relay died, or was out of touch for longer than its lease. Its events are sent by others; some may"
                        + " be delivered twice.",
                fields("count", count));
    }

    Alert databaseFailedOver(long shards) {
        return trouble(
                Alert.FAILOVER,
                Severity.CRITICAL,
                "The database of outbox " + outbox + " has failed over",
                "Relays went on with " + shards
                        + " shards from the cursors of the new server. Events that the old server had"
                        + " delivered last may have come twice, also with delivery exactly once; commits that the new server"
                        + " had not received are gone with their events. 'postrider status' names the shards.",
                fields("shards", shards));
    }

    Alert deadLetter(long id, String error) {
        return trouble(
                Alert.DEAD_LETTER,
                Severity.CRITICAL,
                "Event " + id + " of outbox " + outbox + " is a dead letter",
                "It was given up and waits for a person, who finds it with 'postrider dead show " + id + "': " + error,
                fields("id", id));
    }

    Alert deadLetters(long count) {
        return trouble(
                Alert.DEAD_LETTER,
                Severity.CRITICAL,
                count + " more events of outbox " + outbox + " are dead letters",
                "They were given up within the last minute, in addition to those reported one by one, and wait for a person, who finds"
                        + " them with 'postrider dead list'.",
                fields("count", count));
    }

    Alert inFile(long count) {
        return trouble(
                Alert.DEAD_LETTER_IN_FILE,
                Severity.CRITICAL,
                count + " dead letters of outbox " + outbox + " are in a file",
                "The dead letter table could not take them. They are in the relay's local file, named in its log."
                        + " Repair the table, then bring them back with 'postrider restore'.",
                fields("count", count));
    }

    Alert unsaved(long id, String row) {
        return trouble(
                Alert.DEAD_LETTER_UNSAVED,
                Severity.CRITICAL,
                "Dead letter " + id + " of outbox " + outbox + " is saved nowhere but in this message",
                "Neither the dead letter table nor the local file could take it. Keep this message: the event can be rebuilt from"
                        + " its field row.",
                fields("id", id, "row", row));
    }

    Alert integrity(long id) {
        return trouble(
                Alert.INTEGRITY,
                Severity.CRITICAL,
                "Event " + id + " of outbox " + outbox + " was changed after it was written",
                "Its content does not match its hash, or it has none and the relay requires one. It was not sent and is a"
                        + " dead letter. Find out who writes to the table.",
                fields("id", id));
    }

    Alert integrityFailures(long count) {
        return trouble(
                Alert.INTEGRITY,
                Severity.CRITICAL,
                count + " more events of outbox " + outbox + " were changed after they were written",
                "Found within the last minute, in addition to those reported one by one. They were not sent and are dead letters.",
                fields("count", count));
    }

    private Alert trouble(String rule, Severity severity, String title, String text, Map<String, String> fields) {
        return new Alert(rule, severity, title, text, fields, false);
    }

    private Alert recovery(String rule, String title, String text, Map<String, String> fields) {
        return new Alert(rule, Severity.WARNING, title, text, fields, true);
    }

    private Map<String, String> fields(Object... namesAndValues) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("outbox", outbox);
        fields.put("relay", relay);
        for (int i = 0; i < namesAndValues.length; i += 2) {
            fields.put(namesAndValues[i].toString(), namesAndValues[i + 1].toString());
        }
        return fields;
    }

    private static String inWords(Duration age) {
        if (age.compareTo(Duration.ofMinutes(2)) < 0) {
            return age.toSeconds() + " s";
        }
        return age.compareTo(Duration.ofHours(2)) < 0 ? age.toMinutes() + " min" : age.toHours() + " h";
    }
}
