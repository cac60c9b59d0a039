package dev.postrider.cli.admin;

import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.LayoutChange;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxTable;
import dev.postrider.Pooling;
import dev.postrider.PostriderException;
import dev.postrider.RelaySettings;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.Database;
import dev.postrider.cli.configuration.KnownSettings;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.internal.store.jdbc.Explanation;
import dev.postrider.settings.BatchSettings;
import dev.postrider.settings.IntegritySettings;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** An outbox that a command may look at and change, until it is closed. */
final class OpenOutbox implements AutoCloseable {
    private final OutboxTable table;
    private final byte @Nullable [] integrityKey;
    private final long maxEventBytes;
    private final Pooling pooling;
    private final HikariDataSource pool;

    private OpenOutbox(
            OutboxTable table,
            byte @Nullable [] integrityKey,
            long maxEventBytes,
            Pooling pooling,
            HikariDataSource pool) {
        this.table = table;
        this.integrityKey = integrityKey;
        this.maxEventBytes = maxEventBytes;
        this.pooling = pooling;
        this.pool = pool;
    }

    /** To look, and to do what needs no hashes. */
    static OpenOutbox open(Settings settings, CommandEnvironment environment) {
        return open(settings, environment, null);
    }

    /** With the key by which events are hashed, if one is set. */
    static OpenOutbox openWithKey(Settings settings, CommandEnvironment environment) {
        return open(settings, environment, key(settings, environment));
    }

    private static byte @Nullable [] key(Settings settings, CommandEnvironment environment) {
        try {
            return IntegritySettings.of(settings.in(environment.directory())).readKey();
        } catch (PostriderException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    private static OpenOutbox open(Settings settings, CommandEnvironment environment, byte @Nullable [] integrityKey) {
        OutboxTable table = settings.get(KnownSettings.OUTBOX_TABLE);
        Database database = Database.of(settings, environment.directory());
        // Before the pool is there: it would only say that it has no connection.
        try (Connection connection = database.connect()) {
            Databases.of(connection).version(connection, table).requireUsable();
        } catch (SQLException e) {
            throw Explanation.ofOutbox(e, table);
        }
        long maxEventBytes = settings.get(BatchSettings.MAX_EVENT_BYTES);
        Pooling pooling = settings.get(RelaySettings.POOLING);
        return new OpenOutbox(table, integrityKey, maxEventBytes, pooling, database.pool("postrider-admin", 2));
    }

    OutboxTable table() {
        return table;
    }

    OutboxAdmin admin() {
        OutboxAdmin.Builder builder = OutboxAdmin.builder(pool).table(table).maxEventBytes(maxEventBytes);
        if (integrityKey != null) {
            builder.integrityKey(integrityKey);
        }
        return builder.build();
    }

    LayoutChange.Builder layout() {
        return LayoutChange.builder(pool).table(table).pooling(pooling);
    }

    @Override
    public void close() {
        pool.close();
    }
}
