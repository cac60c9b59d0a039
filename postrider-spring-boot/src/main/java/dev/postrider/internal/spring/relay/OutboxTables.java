package dev.postrider.internal.spring.relay;

import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.internal.store.SqlErrors;
import java.sql.SQLException;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.InitializingBean;

/**
 * The tables of the outbox: made or looked at once, when the application starts, after its own migrations and before
 * anything is written or sent.
 */
public final class OutboxTables implements InitializingBean {
    private static final Logger log = LoggerFactory.getLogger(OutboxTables.class);

    private final DataSource dataSource;
    private final OutboxTable table;
    private final boolean initialize;
    private final @Nullable OutboxLayout wanted;
    private final Predicate<DataSource> isWithout;
    private @Nullable OutboxLayout layout;
    private boolean missing;

    /**
     * @param initialize whether they are made and brought up to date; otherwise they are looked at
     * @param wanted layout of a new outbox; null for the database's standard
     * @param isWithout whether a database can have none, and need not: one in memory, in a test
     */
    public OutboxTables(
            DataSource dataSource,
            OutboxTable table,
            boolean initialize,
            @Nullable OutboxLayout wanted,
            Predicate<DataSource> isWithout) {
        this.dataSource = dataSource;
        this.table = table;
        this.initialize = initialize;
        this.wanted = wanted;
        this.isWithout = isWithout;
    }

    public OutboxTable table() {
        return table;
    }

    /** Null if the database could not be asked. */
    public @Nullable OutboxLayout layout() {
        return layout;
    }

    /** Whether the database can have none: whatever is written to it fails. */
    public boolean areMissing() {
        return missing;
    }

    @Override
    public void afterPropertiesSet() {
        if (isWithout.test(dataSource)) {
            missing = true;
        } else if (initialize) {
            migrate();
        } else {
            look();
        }
    }

    private void migrate() {
        try {
            int applied = wanted == null
                    ? OutboxSchema.migrate(dataSource, table)
                    : OutboxSchema.migrate(dataSource, table, wanted);
            if (applied > 0) {
                log.info("Outbox {}: {} migration(s) applied", table, applied);
            }
            OutboxLayout found =
                    OutboxAdmin.builder(dataSource).table(table).build().layout();
            if (wanted != null && !wanted.equals(found)) {
                log.warn(
                        "Outbox {} exists with {}, and keeps that, though postrider.schema.* asks for {}. 'postrider alter"
                                + " --table {}' changes it.",
                        table,
                        found.describe(),
                        wanted.describe(),
                        table);
            }
            layout = found;
        } catch (PostriderException e) {
            if (isUnreachable(e)) {
                throw new PostriderStartException(
                        "The database of outbox " + table + " cannot be reached, so its tables cannot be made: "
                                + e.getMessage(),
                        "Check that it runs and that spring.datasource.url leads to it. With postrider.schema.initialize=never the"
                                + " application starts without its database, and the relay waits for it.",
                        e);
            }
            throw e;
        }
    }

    private void look() {
        try {
            layout = OutboxAdmin.builder(dataSource).table(table).build().layout();
        } catch (PostriderException e) {
            if (isUnreachable(e)) {
                log.warn(
                        "Outbox {} cannot be looked at, since its database cannot be reached: {}",
                        table,
                        e.getMessage());
                return;
            }
            throw new PostriderStartException(
                    String.valueOf(e.getMessage()),
                    "If its tables are missing or older than this Postrider, set postrider.schema.initialize=always, run"
                            + " 'postrider migrate --table " + table
                            + "', or let your own migrations run what 'postrider migrate"
                            + " --print --table " + table + "' shows.",
                    e);
        }
    }

    private static boolean isUnreachable(PostriderException e) {
        return e.getCause() instanceof SQLException cause && SqlErrors.isUnreachable(cause);
    }
}
