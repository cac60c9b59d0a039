package dev.postrider.bench.contender.debezium;

import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.bench.contender.BenchEvent;
import dev.postrider.bench.contender.Business;
import dev.postrider.bench.contender.Contender;
import dev.postrider.bench.contender.PeerProducer;
import dev.postrider.bench.contender.Place;
import dev.postrider.bench.contender.PlainWrites;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Debezium's embedded engine, its outbox event router, and a producer of ours behind it. Needs a server with {@code
 * wal_level=logical}.
 *
 * <p>The slot is made by {@link #prepare}, so that the engine finds what was written before it was started, and dropped
 * by {@link #close}.
 */
public final class DebeziumContender implements Contender {
    private static final String INSERT =
            "insert into outbox (id, aggregatetype, aggregateid, type, payload) values (?, ?, ?, ?, ?)";

    private final Place place;
    private final HikariDataSource pool;
    private final Slot slot;
    private @Nullable Path offsets;
    private @Nullable RunningEngine engine;

    public DebeziumContender(Place place) {
        this.place = place;
        this.pool = place.pool(24);
        this.slot = new Slot(pool, JdbcAddress.of(place.jdbcUrl()).database());
    }

    @Override
    public void prepare() throws Exception {
        Business.create(pool);
        slot.create();
        offsets = Files.createTempFile("postrider-bench-debezium", ".offsets");
        // An empty file is no file of offsets; none at all is fine.
        Files.delete(offsets);
    }

    @Override
    public void write(List<BenchEvent> events) throws Exception {
        PlainWrites.inTransaction(pool, connection -> insert(connection, events));
    }

    private static void insert(Connection connection, List<BenchEvent> events) throws SQLException {
        if (events.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            for (BenchEvent event : events) {
                statement.setObject(1, UUID.randomUUID());
                statement.setString(2, BenchEvent.AGGREGATE);
                statement.setString(3, event.key());
                statement.setString(4, BenchEvent.TYPE);
                statement.setString(5, event.document());
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    @Override
    public void start() throws Exception {
        if (offsets == null) {
            throw new IllegalStateException("not prepared");
        }
        RunningEngine starting = new RunningEngine(
                EngineSettings.properties(place, slot, offsets), new PeerProducer(place, EngineSettings.LINGER_MILLIS));
        engine = starting;
        starting.start();
        while (!slot.isRead()) {
            starting.failIfEnded();
            Thread.sleep(5);
        }
    }

    @Override
    public void stop() throws Exception {
        if (engine != null) {
            engine.stop();
            engine = null;
            slot.awaitIdle();
        }
    }

    @Override
    public List<String> settings() {
        List<String> lines = new ArrayList<>(EngineSettings.describe());
        lines.add(PeerProducer.describe(EngineSettings.LINGER_MILLIS));
        lines.add("each batch is sent at once, all its acknowledgements are awaited, then it is marked as processed");
        lines.add(
                "outbox table as documented, without a primary key, which would cost time; payload as text; rows stay");
        return lines;
    }

    @Override
    public void close() {
        try {
            stop();
            slot.drop();
            if (offsets != null) {
                Files.deleteIfExists(offsets);
            }
        } catch (Exception e) {
            throw new IllegalStateException("Debezium did not end; its replication slot may hold WAL: " + e, e);
        } finally {
            pool.close();
        }
    }
}
