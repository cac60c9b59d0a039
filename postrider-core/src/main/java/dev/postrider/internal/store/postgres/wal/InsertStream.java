package dev.postrider.internal.store.postgres.wal;

import dev.postrider.NetworkTimeouts;
import dev.postrider.Replication;
import dev.postrider.internal.lifecycle.Restarts;
import dev.postrider.internal.lifecycle.Service;
import dev.postrider.internal.store.jdbc.Connector;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyDual;

/**
 * The replication stream of an outbox's inserts, read through a temporary slot by a thread of its own. The slot ends with its
 * connection: when this stream is closed, fails, or its process dies, nothing is left that could hold back WAL.
 *
 * <p>The driver's own class for such streams answers a keep-alive only after the next message, so that the server cuts an idle
 * one; here every message is answered by the thread that waits for it. The wait itself has no limit, since a connection whose
 * read has timed out is of no more use; instead {@link #watch}, called by another thread, ends a connection on which
 * nothing was heard for too long. An idle server asks whether anybody is there after half of the time in which it wants to hear
 * something; it is told to take the relay's network timeout for that.
 */
final class InsertStream {
    private static final long IDLE = Duration.ofMinutes(1).toNanos();
    private static final Duration MOMENT = Duration.ofSeconds(1);

    /**
     * A slot is complete when the transactions that were open have ended, in two turns. So long one of them is waited for; then the
     * server gives up.
     */
    private static final Duration LONGEST_LOCK = Duration.ofMinutes(1);

    private static final Duration LONGEST_OPENING = Duration.ofMinutes(3);

    private static final long CONFIRM_INTERVAL = Duration.ofSeconds(1).toNanos();

    private static final String PREPARE =
            "set wal_sender_timeout = %d; set lock_timeout = %d; set logical_decoding_work_mem = '1MB'";

    /** Understood by all versions; a snapshot would be held open until the next command. */
    private static final String CREATE_SLOT = "CREATE_REPLICATION_SLOT %s TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT";

    private static final String START = "START_REPLICATION SLOT %s LOGICAL 0/0 (%s, publication_names '\"%s\"')";

    /** From version 14 on a large transaction is sent in pieces instead of being collected on the server's disk. */
    private static final int STREAMS_LARGE_TRANSACTIONS = 14;

    private final Connector connector;
    private final Duration timeout;
    private final String slotPrefix;
    private final Told told;
    private final Service service;
    private final Restarts restarts = new Restarts();

    /** The publication of the stream that is wanted; null while none is. */
    private volatile @Nullable String wanted;

    /** Kept here as well as in the copy: a connection that nobody knows is closed by the driver. */
    private volatile @Nullable Connection connection;

    private volatile boolean flowing;
    private volatile long heardAt;

    /** Of the connection that is there. Touched by the stream's thread only. */
    private @Nullable CopyDual copy;

    private PgOutput output = new PgOutput();
    private long received;
    private long confirmed;
    private long confirmedAt;

    /** What is told of the stream, on its thread. */
    interface Told {
        /** Every later commit is told of; there may have been others that were not. */
        void begun();

        /**
         * @param transaction the lower half of its number
         */
        void committed(int transaction);

        void ended(Throwable reason);
    }

    /**
     * @param slotPrefix of letters, digits and underscores, to which eight are added
     */
    InsertStream(String threadName, Replication replication, NetworkTimeouts network, String slotPrefix, Told told) {
        this.connector = new Connector(
                (Connector.Source) () -> replication.connect(required(threadName, network.connect())),
                network.connect());
        this.timeout = network.answer();
        this.slotPrefix = slotPrefix;
        this.told = told;
        this.service = Service.named(threadName)
                .onFailure((error, again) -> failed(error))
                .atEnd(this::end)
                .doing(this::pass);
    }

    /** Whether the server, and those before it, let the role read streams. */
    static void tryConnection(Replication replication) throws SQLException {
        try (Connection connection = replication.connect(required("postrider", NetworkTimeouts.DEFAULT.connect()));
                Statement statement = connection.createStatement()) {
            connection.setNetworkTimeout(
                    Runnable::run,
                    Math.toIntExact(NetworkTimeouts.DEFAULT.answer().toMillis()));
            statement.execute("IDENTIFY_SYSTEM");
        }
    }

    private static Properties required(String application, Duration connect) {
        Properties properties = new Properties();
        properties.setProperty("replication", "database");
        properties.setProperty("preferQueryMode", "simple");
        properties.setProperty("assumeMinServerVersion", "13");
        properties.setProperty("ApplicationName", application);
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("connectTimeout", String.valueOf(Math.max(1, connect.toSeconds())));
        return properties;
    }

    void start() {
        service.start();
    }

    /** Any thread. */
    void open(String publication) {
        if (wanted == null) {
            wanted = publication;
            service.wake();
        }
    }

    /** Ends the stream; another one may be opened. Any thread; returns at once. */
    void shut() {
        if (wanted != null) {
            wanted = null;
            cut();
        }
    }

    /** Whether it tells of commits. Any thread. */
    boolean isFlowing() {
        return flowing;
    }

    /** Whether the last one did not fail just now. Any thread. */
    boolean mayOpen() {
        return restarts.isOver();
    }

    /** It would fail. The next attempt has to wait, as after a failure. */
    void refuse() {
        restarts.failed();
    }

    /** Ends a connection on which nothing is heard any more. Any thread, now and then. */
    void watch() {
        Duration longest = flowing ? timeout.multipliedBy(3).dividedBy(2) : LONGEST_OPENING;
        if (connection != null && System.nanoTime() - heardAt > longest.toNanos()) {
            // Once is enough, for as long again.
            heardAt = System.nanoTime();
            cut();
        }
    }

    private long pass() throws SQLException {
        String publication = wanted;
        if (publication == null) {
            letGo();
            return IDLE;
        }
        CopyDual current = copy;
        if (current == null) {
            copy = begin(publication);
        } else {
            read(current);
        }
        return 0;
    }

    private CopyDual begin(String publication) throws SQLException {
        Connection fresh = connector.connect();
        heardAt = System.nanoTime();
        connection = fresh;
        if (wanted == null) {
            throw new SQLException("The stream is not wanted any more.");
        }
        fresh.setNetworkTimeout(Runnable::run, 0);
        String slot = slotPrefix + UUID.randomUUID().toString().substring(0, 8);
        int version = fresh.getMetaData().getDatabaseMajorVersion();
        try (Statement statement = fresh.createStatement()) {
            statement.execute(PREPARE.formatted(timeout.toMillis(), LONGEST_LOCK.toMillis()));
            statement.execute(CREATE_SLOT.formatted(slot));
        }
        String protocol =
                version < STREAMS_LARGE_TRANSACTIONS ? "proto_version '1'" : "proto_version '2', streaming 'on'";
        CopyDual begun =
                fresh.unwrap(PGConnection.class).getCopyAPI().copyDual(START.formatted(slot, protocol, publication));
        output = new PgOutput();
        received = 0;
        confirmed = 0;
        confirmedAt = System.nanoTime();
        heardAt = confirmedAt;
        flowing = true;
        restarts.started();
        told.begun();
        return begun;
    }

    private void read(CopyDual current) throws SQLException {
        byte[] bytes = current.readFromCopy();
        heardAt = System.nanoTime();
        if (bytes == null) {
            throw new SQLException("The server has ended the replication stream.");
        }
        ByteBuffer message = ByteBuffer.wrap(bytes);
        boolean asked = false;
        byte kind = message.get();
        if (kind == 'k') {
            received = Math.max(received, message.getLong());
            message.getLong();
            asked = message.get() != 0;
        } else if (kind == 'w') {
            received = Math.max(received, message.getLong());
            // The end of the WAL, and the time.
            message.position(message.position() + 2 * Long.BYTES);
            OptionalInt committed = output.read(message);
            if (committed.isPresent()) {
                told.committed(committed.getAsInt());
            }
        }
        if (asked || received > confirmed && heardAt - confirmedAt > CONFIRM_INTERVAL) {
            confirm(current);
        }
    }

    /** All of it, since nothing depends on it. */
    private void confirm(CopyDual current) throws SQLException {
        // The time here would be for people to look at; relays do not use it.
        long time = 0;
        byte[] reply = ByteBuffer.allocate(1 + 4 * Long.BYTES + 1)
                .put((byte) 'r')
                .putLong(received)
                .putLong(received)
                .putLong(received)
                .putLong(time)
                .put((byte) 0)
                .array();
        current.writeToCopy(reply, 0, reply.length);
        current.flushCopy();
        confirmed = received;
        confirmedAt = System.nanoTime();
    }

    private long failed(Throwable error) {
        boolean unwanted = wanted == null;
        wanted = null;
        letGo();
        if (!unwanted) {
            restarts.failed();
            told.ended(error);
        }
        return IDLE;
    }

    private void letGo() {
        flowing = false;
        copy = null;
        cut();
        connection = null;
    }

    /**
     * On a thread of its own, since both steps may wait for the network. A slot that is being made waits for others'
     * transactions, and its server process does not notice that the client has gone: it has to be told.
     */
    private void cut() {
        Connection current = connection;
        if (current == null) {
            return;
        }
        boolean opening = !flowing;
        Thread cutting = new Thread(() -> cut(current, opening), "postrider-abort");
        cutting.setDaemon(true);
        cutting.start();
    }

    private static void cut(Connection connection, boolean opening) {
        try {
            if (opening && !connection.isClosed()) {
                connection.unwrap(PGConnection.class).cancelQuery();
            }
        } catch (SQLException e) {
            // Then the server finds out when it has done its work.
        }
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            // It is closed.
        }
    }

    private void end() {
        connector.giveUp();
        letGo();
    }

    void askToStop() {
        service.askToStop();
        shut();
    }

    void close() {
        askToStop();
        service.stop(MOMENT);
    }
}
