package dev.postrider.tests.pooler;

import static org.awaitility.Awaitility.await;

import dev.postrider.devservices.DevPostgres;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A real PgBouncer that pools transactions, where it is installed. */
final class PgBouncer implements AutoCloseable {
    private final Process process;
    private final int port;

    private PgBouncer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    static boolean isInstalled() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, "pgbouncer")));
    }

    static PgBouncer start(int serverPort) throws IOException {
        int port;
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = any.getLocalPort();
        }
        Path directory = Files.createTempDirectory("postrider-pgbouncer");
        Path users = directory.resolve("users.txt");
        Files.writeString(
                users,
                "\"" + DevPostgres.shared().user() + "\" \""
                        + DevPostgres.shared().password() + "\"\n");
        Path settings = directory.resolve("pgbouncer.ini");
        Files.writeString(settings, """
                [databases]
                * = host=127.0.0.1 port=%d
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                pool_mode = transaction
                default_pool_size = 3
                auth_type = trust
                auth_file = %s
                ignore_startup_parameters = extra_float_digits
                """.formatted(serverPort, port, users));
        // Whoever it runs as has to read them.
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        List<String> command = new ArrayList<>(List.of("pgbouncer"));
        if (System.getProperty("user.name").equals("root")) {
            // It does not run as root.
            command.addAll(List.of("-u", "nobody"));
        }
        command.add(settings.toString());
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log.txt").toFile())
                .start();
        PgBouncer pooler = new PgBouncer(process, port);
        await().until(() -> !process.isAlive() || pooler.answers());
        if (!process.isAlive()) {
            throw new IOException("pgbouncer did not start: " + Files.readString(directory.resolve("log.txt")));
        }
        return pooler;
    }

    private boolean answers() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
