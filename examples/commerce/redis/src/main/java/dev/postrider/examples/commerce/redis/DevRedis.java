package dev.postrider.examples.commerce.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A Redis on the loopback interface, in a process of its own. It keeps nothing on disk, and ends with this process, however this
 * process ends: even if it is killed. Methods may be called from any thread.
 */
public final class DevRedis implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;

    /** Its input ends when our process does, or when we close it; what is left then is removed. */
    private static final String RUN = """
            trap '' HUP INT TERM
            "$1/redis-server" --bind 127.0.0.1 --port "$2" --save '' --appendonly no --dir "$1" </dev/null &
            server=$!
            cat >/dev/null
            kill -KILL "$server" 2>/dev/null
            rm -rf "$1"
            """;

    private final int port;
    private @Nullable Process process;

    private DevRedis(int port) {
        this.port = port;
    }

    /** Returns when it serves. */
    public static DevRedis start() {
        DevRedis redis = new DevRedis(freePort());
        redis.restart();
        return redis;
    }

    public int port() {
        return port;
    }

    /** Starts it again on the same port, empty. Does nothing if it runs. */
    public synchronized void restart() {
        if (process != null) {
            return;
        }
        try {
            Path folder = Files.createTempDirectory("postrider-redis");
            unpack(folder.resolve("redis-server"));
            process = new ProcessBuilder("sh", "-c", RUN, "sh", folder.toString(), Integer.toString(port))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            awaitServing(process);
        } catch (IOException e) {
            throw new UncheckedIOException("Redis could not be started", e);
        }
    }

    /** A crash: its process is killed. */
    public synchronized void kill() {
        Process running = process;
        if (running == null) {
            return;
        }
        process = null;
        try {
            running.getOutputStream().close();
            if (!running.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("Redis did not end within " + PATIENCE_SECONDS + " s");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        kill();
    }

    private void awaitServing(Process starting) {
        long begin = System.nanoTime();
        while (!answersPing()) {
            if (!starting.isAlive() || System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
                kill();
                throw new IllegalStateException("Redis does not serve at port " + port + " of this machine");
            }
            try {
                Thread.sleep(20);
            } catch (InterruptedException e) {
                kill();
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while Redis was starting", e);
            }
        }
    }

    private boolean answersPing() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            socket.setSoTimeout(1000);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readNBytes(5), StandardCharsets.US_ASCII).equals("+PONG");
        } catch (IOException e) {
            return false;
        }
    }

    private static void unpack(Path file) throws IOException {
        String name = "/redis-server-7.0.15-" + system() + "-" + processor();
        try (InputStream server = DevRedis.class.getResourceAsStream(name)) {
            if (server == null) {
                throw new IllegalStateException("There is no Redis for this machine: " + name + " is missing.");
            }
            Files.copy(server, file);
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    private static String system() {
        return System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac") ? "darwin" : "linux";
    }

    private static String processor() {
        String processor = System.getProperty("os.arch");
        return processor.equals("aarch64") || processor.equals("arm64") ? "arm64" : "amd64";
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
