package dev.postrider.internal.failure;

import dev.postrider.EventStatus;
import dev.postrider.RelayListener;
import dev.postrider.failure.DeadLetterSettings;
import dev.postrider.internal.store.Halving;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.RowClaim;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.SqlErrors;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Three nets under an event that is given up:
 *
 * <ol>
 *   <li>a row of the dead letter table, in one statement with the change of state;
 *   <li>if the table does not take it, for whatever reason while the database answers: a line of JSON in a local file, synced to disk;
 *   <li>if that fails too: an alert, and the log, that carry the whole event, or all but its payload if that is not to be told.
 * </ol>
 *
 * Only then is the row marked, so a crash between the nets leaves the event as it was, to be judged
 * again. Called by the threads of one relay.
 */
public final class DeadLetters {
    private static final Logger log = LoggerFactory.getLogger(DeadLetters.class);

    /** Of a line, what the writer of the event has put into it. */
    private static final List<String> PAYLOAD = List.of("payload_text", "payload_binary", "headers");

    private final String name;
    private final OutboxStore store;
    private final DeadLetterSettings settings;
    private final RelayListener listener;
    private final DeadLetterFile file;

    /** Events in the lower nets whose rows are not marked yet. */
    private final Set<Row> safeElsewhere = ConcurrentHashMap.newKeySet();

    private record Row(long id, String eventId, int version) {
        static Row of(Settlement.Dead dead) {
            return new Row(
                    dead.claim().id(), dead.claim().eventId(), dead.claim().version());
        }
    }

    public DeadLetters(String name, OutboxStore store, DeadLetterSettings settings, RelayListener listener) {
        this.name = name;
        this.store = store;
        this.settings = settings;
        this.listener = listener;
        this.file = new DeadLetterFile(name, settings.file());
    }

    /** Says so now instead of when the file is needed and there is no other place. */
    public void checkFile() {
        String obstacle = file.obstacle();
        if (obstacle != null) {
            log.warn(
                    "[{}] dead letters cannot be written to {}: {}. If the database does not accept one either, it will be"
                            + " in an alert only. Set relay.dead-letter.file to a file that this process may write",
                    name,
                    file.path(),
                    obstacle);
        }
    }

    /**
     * @param recorded ids of rows that were recorded; what is missing was fenced, unless it is stuck
     * @param stuck ids of rows that no statement can change: all that can be done for them is to leave them alone
     */
    public record Buried(Set<Long> recorded, Set<Long> stuck) {}

    /** Of claim mode. If a row is in the way of the others, it goes through the nets alone. */
    public Buried bury(Connection connection, List<Settlement.Dead> dead) throws SQLException {
        return bury(connection, dead, settings.then() == DeadLetterSettings.Then.HOLD_KEY);
    }

    /** The same, and whatever was set, their keys stay open: they were delivered. */
    public Buried buryAndContinue(Connection connection, List<Settlement.Dead> dead) throws SQLException {
        return bury(connection, dead, false);
    }

    private Buried bury(Connection connection, List<Settlement.Dead> dead, boolean holdKeys) throws SQLException {
        Set<Long> recorded = new HashSet<>();
        List<Settlement.Dead> unlettered = new ArrayList<>();
        try {
            List<Halving.Refused<Settlement.Dead>> apart =
                    Halving.runUnlessHopeless(dead, some -> recorded.addAll(store.bury(connection, some, holdKeys)));
            if (Halving.isHopeless(dead, apart)) {
                throw apart.get(0).error();
            }
            unlettered.addAll(refused(Halving.run(refused(apart), some -> {
                for (Settlement.Dead one : some) {
                    if (store.singly().bury(connection, one, holdKeys)) {
                        recorded.add(one.claim().id());
                    }
                }
            })));
        } catch (SQLException e) {
            if (!SqlErrors.isRefusal(e)) {
                throw e;
            }
            log.error("[{}] the dead letter table does not accept {} events: {}", name, dead.size(), e.getMessage());
            unlettered.clear();
            unlettered.addAll(dead);
            unlettered.removeIf(one -> recorded.contains(one.claim().id()));
        }
        if (unlettered.isEmpty()) {
            return new Buried(recorded, Set.of());
        }
        save(unlettered, some -> store.describe(connection, some));
        Predicate<SQLException> blame = e -> SqlErrors.isRowsFault(
                e, () -> store.singly().mark(connection, RowClaim.NOBODY, EventStatus.DEAD_LETTER, holdKeys));
        List<Settlement.Dead> apart = refused(Halving.run(
                unlettered, some -> recorded.addAll(store.buryWithoutLetter(connection, some, holdKeys)), blame));
        List<Settlement.Dead> stuck = refused(Halving.run(
                apart,
                some -> {
                    for (Settlement.Dead one : some) {
                        if (store.singly().mark(connection, one.claim(), EventStatus.DEAD_LETTER, holdKeys)) {
                            recorded.add(one.claim().id());
                        }
                    }
                },
                blame));
        unlettered.stream()
                .filter(one -> recorded.contains(one.claim().id()))
                .map(Row::of)
                .forEach(safeElsewhere::remove);
        return new Buried(recorded, stuck.stream().map(one -> one.claim().id()).collect(Collectors.toSet()));
    }

    private static List<Settlement.Dead> refused(List<Halving.Refused<Settlement.Dead>> refused) {
        return refused.stream().map(Halving.Refused::row).toList();
    }

    /** Rows as lines. */
    @FunctionalInterface
    public interface Description {
        Map<Long, String> of(List<Settlement.Dead> dead) throws SQLException;
    }

    /** The lower nets, for events that the dead letter table does not take. */
    public void save(List<Settlement.Dead> dead, Description description) throws SQLException {
        // Not again and again, if it is the next step that fails.
        List<Settlement.Dead> missing = dead.stream()
                .filter(one -> !safeElsewhere.contains(Row.of(one)))
                .toList();
        Map<Long, String> lines = describe(missing, description);
        if (!lines.isEmpty()) {
            saveElsewhere(lines);
        }
        missing.forEach(one -> safeElsewhere.add(Row.of(one)));
    }

    /** What was saved has been recorded: should the same rows die again, they are saved again. */
    public void recorded(Collection<Settlement.Dead> dead) {
        dead.forEach(one -> safeElsewhere.remove(Row.of(one)));
    }

    /** Of a row that cannot even be read, its id and the reason. */
    private static Map<Long, String> describe(List<Settlement.Dead> dead, Description description) throws SQLException {
        Map<Long, String> lines = new LinkedHashMap<>();
        for (Halving.Refused<Settlement.Dead> unreadable :
                Halving.run(dead, some -> lines.putAll(description.of(some)))) {
            Settlement.Dead one = unreadable.row();
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("id", one.claim().id());
            line.put("last_error", one.error());
            line.put("unreadable", String.valueOf(unreadable.error().getMessage()));
            lines.put(one.claim().id(), JsonMapper.shared().writeValueAsString(line));
        }
        return lines;
    }

    private void saveElsewhere(Map<Long, String> rows) {
        try {
            file.append(rows.values());
            log.error(
                    "[{}] {} dead letters are in {}; bring them back with 'postrider restore'",
                    name,
                    rows.size(),
                    file.path());
            rows.keySet().forEach(listener::deadLetterInFile);
        } catch (IOException e) {
            log.error("[{}] dead letters cannot be written to {} either: {}", name, file.path(), e.toString());
            rows.forEach((id, row) -> {
                String told = settings.includePayload() ? row : withoutPayload(row);
                log.error("[{}] dead letter {} is saved nowhere but in this line: {}", name, id, told);
                listener.deadLetterUnsaved(id, told);
            });
        }
    }

    private static String withoutPayload(String row) {
        try {
            ObjectNode line = (ObjectNode) JsonMapper.shared().readTree(row);
            PAYLOAD.forEach(line::remove);
            line.put("payload_omitted", true);
            return line.toString();
        } catch (RuntimeException e) {
            return "{\"payload_omitted\":true}";
        }
    }
}
