package dev.postrider.failure;

import dev.postrider.RelayListener;
import dev.postrider.store.OutboxStore;
import dev.postrider.store.Settlement;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Three nets under an event that is given up:
 *
 * <ol>
 *   <li>a row of the dead letter table, in one statement with the change of state;
 *   <li>if the table cannot take it: a line of JSON in a local file, synced to disk;
 *   <li>if that fails too: an alert, and the log, that carry the whole event.
 * </ol>
 *
 * Only then is the row marked, so a crash between the nets leaves the event as it was, to be judged
 * again. Called by the relay's thread.
 */
public final class DeadLetters {
    private static final Logger log = LoggerFactory.getLogger(DeadLetters.class);

    /**
     * Classes of SQL states of a table that is missing, different or forbidden, and of one that cannot hold what is in the
     * letter: trying again would not help.
     */
    private static final List<String> HOPELESS = List.of("42", "22");

    private final String name;
    private final OutboxStore store;
    private final DeadLetterSettings settings;
    private final RelayListener listener;

    public DeadLetters(String name, OutboxStore store, DeadLetterSettings settings, RelayListener listener) {
        this.name = name;
        this.store = store;
        this.settings = settings;
        this.listener = listener;
    }

    /**
     * @return ids of the rows that were recorded; what is missing was fenced
     */
    public Set<Long> bury(Connection connection, List<Settlement.Dead> dead) throws SQLException {
        boolean holdKeys = settings.then() == DeadLetterSettings.Then.HOLD_KEY;
        return bury(
                dead.size(),
                () -> store.bury(connection, dead, holdKeys),
                () -> store.describe(connection, dead),
                () -> store.buryWithoutLetter(connection, dead, holdKeys));
    }

    /**
     * The nets, whatever they are made of.
     *
     * @param withLetters marks the rows and writes the letters, together
     * @param describe the events as lines
     * @param withoutLetters marks the rows
     */
    public <T> T bury(int events, Step<T> withLetters, Step<Map<Long, String>> describe, Step<T> withoutLetters)
            throws SQLException {
        try {
            return withLetters.run();
        } catch (SQLException e) {
            String state = String.valueOf(e.getSQLState());
            if (HOPELESS.stream().noneMatch(state::startsWith)) {
                throw e;
            }
            log.error("[{}] the dead letter table does not take {} events: {}", name, events, e.getMessage());
        }
        saveElsewhere(describe.run());
        return withoutLetters.run();
    }

    /** Something done in the database. */
    public interface Step<T> {
        T run() throws SQLException;
    }

    private void saveElsewhere(Map<Long, String> rows) {
        Path file = settings.file().toAbsolutePath();
        try {
            append(file, rows);
            log.error(
                    "[{}] {} dead letters are in {}; bring them back with 'postrider restore'",
                    name,
                    rows.size(),
                    file);
            rows.keySet().forEach(listener::deadLetterInFile);
        } catch (IOException e) {
            log.error("[{}] dead letters cannot be written to {} either: {}", name, file, e.toString());
            rows.forEach((id, row) -> {
                log.error("[{}] dead letter {} is nowhere but here: {}", name, id, row);
                listener.deadLetterUnsaved(id, row);
            });
        }
    }

    private static void append(Path file, Map<Long, String> rows) throws IOException {
        if (file.getParent() != null) {
            Files.createDirectories(file.getParent());
        }
        byte[] lines = (String.join("\n", rows.values()) + "\n").getBytes(StandardCharsets.UTF_8);
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            ByteBuffer buffer = ByteBuffer.wrap(lines);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            channel.force(true);
        }
    }
}
