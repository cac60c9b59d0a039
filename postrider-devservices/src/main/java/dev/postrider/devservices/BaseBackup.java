package dev.postrider.devservices;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Copies the data directory of a running server, which meanwhile goes on writing. {@code pg_basebackup} is not among the
 * programs we have, so this is what it does:
 *
 * <ol>
 *   <li>A replication slot makes the server keep its write-ahead log from here on.
 *   <li>The server makes a checkpoint, from which the copy will recover.
 *   <li>Every file is copied as it happens to be at that moment. Put together they make no sense yet.
 *   <li>The server says, in a label that goes into the copy, where that checkpoint was. Without the label the copy would
 *       trust a later one, and miss what was written between.
 * </ol>
 *
 * <p>The copy contains no write-ahead log and has to fetch it from the server. The slot ends with {@link #close()}: keep
 * it open until the copy accepts connections. It is a temporary one, which cannot outlive us and fill a disk.
 */
final class BaseBackup implements AutoCloseable {

    private static final String RESERVE_LOG = """
            SELECT pg_create_physical_replication_slot(
                slot_name => 'postrider_' || pg_backend_pid(), immediately_reserve => true, temporary => true)
            """;
    private static final String START = "SELECT pg_backup_start(label => 'postrider', fast => true)";
    private static final String STOP = "SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)";

    /** Says that a server runs here, and how it was started. Neither is true of the copy. */
    private static final Set<Path> LEFT_OUT = Set.of(Path.of("postmaster.pid"), Path.of("postmaster.opts"));
    /** The copy streams the log, and the slots are promises that it has not made. */
    private static final Set<Path> LEFT_EMPTY = Set.of(Path.of("pg_wal"), Path.of("pg_replslot"));
    /** Copied last: on a standby it says how much of the log has to be replayed for the files to make sense. */
    private static final Path CONTROL = Path.of("global", "pg_control");

    private final int port;
    private final Path data;
    private final Connection connection;

    private BaseBackup(int port, Path data, Connection connection) {
        this.port = port;
        this.data = data;
        this.connection = connection;
    }

    /** @param data the data directory of the server on the port */
    static BaseBackup of(int port, Path data) {
        try {
            // Step 4 has to be on the connection of step 2, and the slot of step 1 lives as long as its connection.
            return new BaseBackup(
                    port,
                    data,
                    DriverManager.getConnection(
                            "jdbc:postgresql://127.0.0.1:" + port + "/postgres",
                            PostgresCluster.USER,
                            PostgresCluster.PASSWORD));
        } catch (SQLException e) {
            throw new DevServicesException(
                    "PostgreSQL on port " + port + " cannot be copied, because it cannot be reached: " + e.getMessage(),
                    e);
        }
    }

    /** The port of the server that is copied. */
    int port() {
        return port;
    }

    /** @param target a directory that does not exist yet */
    void copyTo(Path target) throws IOException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(RESERVE_LOG);
            statement.execute(START);
            copyFiles(target);
            try (ResultSet stopped = statement.executeQuery(STOP)) {
                stopped.next();
                Files.writeString(target.resolve("backup_label"), stopped.getString("labelfile"));
            }
        } catch (SQLException e) {
            throw new DevServicesException(
                    "PostgreSQL on port " + port + " cannot be copied: " + e.getMessage()
                            + "; it needs wal_level replica or logical, and a free one of max_replication_slots",
                    e);
        }
    }

    private void copyFiles(Path target) throws IOException {
        Files.walkFileTree(data, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                Path relative = data.relativize(directory);
                return copy(directory, target.resolve(relative)) && !LEFT_EMPTY.contains(relative)
                        ? FileVisitResult.CONTINUE
                        : FileVisitResult.SKIP_SUBTREE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Path relative = data.relativize(file);
                if (!attributes.isRegularFile()) {
                    throw new DevServicesException("PostgreSQL on port " + port + " cannot be copied: " + relative
                            + " is a link, as tablespaces have, and the copy would write to the same files;"
                            + " do without tablespaces outside of the data directory");
                }
                if (!LEFT_OUT.contains(relative) && !CONTROL.equals(relative)) {
                    copy(file, target.resolve(relative));
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                return skipIfGone(e);
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) throws IOException {
                return e == null ? FileVisitResult.CONTINUE : skipIfGone(e);
            }
        });
        copy(data.resolve(CONTROL), target.resolve(CONTROL));
    }

    /** Returns whether there was anything to copy: a table may be dropped while we are on our way to its file. */
    private static boolean copy(Path from, Path to) throws IOException {
        try {
            // The server insists on the permissions of its directory.
            Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private static FileVisitResult skipIfGone(IOException e) throws IOException {
        if (e instanceof NoSuchFileException) {
            return FileVisitResult.CONTINUE;
        }
        throw e;
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            // It is closed on our side, and the server notices at the latest when it ends.
        }
    }
}
