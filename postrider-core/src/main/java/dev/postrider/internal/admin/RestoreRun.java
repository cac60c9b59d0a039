package dev.postrider.internal.admin;

import dev.postrider.PostriderException;
import dev.postrider.admin.RestoreReport;
import dev.postrider.internal.store.AdminStore;
import dev.postrider.internal.store.AdminStore.Restored;
import dev.postrider.internal.store.AdminStore.SavedEvent;
import dev.postrider.internal.store.RefusedLineException;
import dev.postrider.internal.store.SqlErrors;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * One pass over a dead letter file, each line a transaction of its own: so that one that the database
 * refuses costs only itself, and whatever ends the pass early leaves nothing half done.
 */
public final class RestoreRun {
    private final Connection connection;
    private final AdminStore store;
    private final String actor;
    private final boolean keep;

    private final Map<Restored, Long> counts = new EnumMap<>(Restored.class);
    private final List<RestoreReport.Problem> problems = new ArrayList<>();

    /**
     * @param keep whether to commit what was done
     */
    public RestoreRun(Connection connection, AdminStore store, String actor, boolean keep) {
        this.connection = connection;
        this.store = store;
        this.actor = actor;
        this.keep = keep;
    }

    public RestoreReport run(Path file) throws SQLException {
        try (DeadLetterFile lines = DeadLetterFile.open(file)) {
            for (DeadLetterFile.Line line = lines.next(); line != null; line = lines.next()) {
                if (line instanceof DeadLetterFile.Line.Event event) {
                    restore(event.number(), event.event());
                } else if (line instanceof DeadLetterFile.Line.Broken broken) {
                    problem(broken.number(), broken.what());
                }
            }
        } catch (NoSuchFileException e) {
            throw new PostriderException("There is no file " + file + ".", e);
        } catch (IOException e) {
            throw new PostriderException("The file " + file + " cannot be read: " + e.getMessage(), e);
        }
        return new RestoreReport(
                count(Restored.BACK),
                count(Restored.INSERTED),
                count(Restored.HANDLED) + count(Restored.HANDLED_BEFORE),
                problems);
    }

    private void restore(long number, SavedEvent event) throws SQLException {
        try {
            store.beginChange(connection);
            Restored restored = store.restore(connection, event, actor);
            if (keep) {
                connection.commit();
            } else {
                connection.rollback();
            }
            counts.merge(restored, 1L, Long::sum);
            if (restored == Restored.REPLACED) {
                problem(number, "meanwhile another event was written with its request id");
            }
            if (restored == Restored.GONE) {
                problem(number, "it has no payload, because the event was too large for the file, and its row is gone");
            }
        } catch (SQLException e) {
            connection.rollback();
            SqlErrors.requireRowsFault(e);
            // The database's own words may quote the payload.
            problem(
                    number,
                    e instanceof RefusedLineException
                            ? String.valueOf(e.getMessage())
                            : "the database does not take it (SQL state " + e.getSQLState() + ")");
        }
    }

    private void problem(long number, String what) {
        problems.add(new RestoreReport.Problem(number, what));
    }

    private long count(Restored restored) {
        return counts.getOrDefault(restored, 0L);
    }
}
