package dev.postrider.devservices;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.kafka.connect.cli.ConnectDistributed;
import org.jspecify.annotations.Nullable;

/**
 * What runs in a Kafka Connect worker's own JVM; {@link ConnectWorker} is its counterpart in the owner's. Listens to its
 * owner: the line {@code stop} on standard input asks for an orderly end; the end of standard input means that the owner
 * is gone, and then the worker goes at once.
 */
final class WorkerMain {

    static final String PROPERTIES = "worker.properties";

    private WorkerMain() {}

    /**
     * @param arguments the directory, and the one to delete if the owner dies, which may be empty
     */
    public static void main(String[] arguments) {
        Thread listener = new Thread(() -> obey(arguments[1]), "owner");
        listener.setDaemon(true);
        listener.start();
        ConnectDistributed.main(
                new String[] {Path.of(arguments[0]).resolve(PROPERTIES).toString()});
    }

    private static void obey(String temporary) {
        @Nullable String order;
        try {
            order = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
        } catch (IOException e) {
            order = null;
        }
        if (order != null) {
            // The worker has a hook that stops its connectors.
            System.exit(0);
        }
        if (!temporary.isEmpty()) {
            try {
                Workspace.delete(Path.of(temporary));
            } catch (IOException e) {
                // Its log may still be written; nobody is left to be told.
            }
        }
        Runtime.getRuntime().halt(0);
    }
}
