package dev.postrider.bench.lab;

import dev.postrider.bench.BenchException;
import dev.postrider.bench.contender.BenchEvent.Shape;
import dev.postrider.bench.contender.ContenderMain;
import dev.postrider.bench.contender.ContenderName;
import dev.postrider.bench.contender.Order;
import dev.postrider.bench.contender.Order.Answer;
import dev.postrider.bench.contender.Order.What;
import dev.postrider.bench.contender.Place;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/**
 * The other end of {@link ContenderMain}: a contender in a JVM of its own that ends with this process. Orders are given
 * by one thread and awaited.
 */
public final class ContenderProcess implements AutoCloseable {
    private static final ObjectMapper JSON = JsonMapper.shared();
    private static final int LINES_OF_LOG = 15;

    private final ContenderName name;
    private final Process process;
    private final BufferedWriter orders;
    private final BufferedReader answers;
    private final Path log;

    private ContenderProcess(ContenderName name, Process process, Path log) {
        this.name = name;
        this.process = process;
        this.orders = process.outputWriter();
        this.answers = process.inputReader();
        this.log = log;
    }

    static ContenderProcess start(ContenderName name, Place place, @Nullable Path recordings) {
        try {
            Path log = Files.createTempFile("postrider-bench-" + name.label() + "-", ".log");
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.add("-Xmx" + heap(name));
            if (recordings != null) {
                // A contender may have several processes at a place.
                Path file = Files.createTempFile(recordings, name.label() + "-" + place.topic() + "-", ".jfr");
                command.add("-XX:StartFlightRecording=settings=profile,filename=" + file);
            }
            command.addAll(List.of("-cp", System.getProperty("java.class.path")));
            command.addAll(List.of(ContenderMain.class.getName(), name.label()));
            Process process =
                    new ProcessBuilder(command).redirectError(log.toFile()).start();
            ContenderProcess started = new ContenderProcess(name, process, log);
            started.send(JSON.writeValueAsString(place));
            return started;
        } catch (IOException e) {
            throw new BenchException("The process of " + name.label() + " cannot be started: " + e.getMessage(), e);
        }
    }

    /** Postrider has to do with the heap it promises; the limit has its whole backlog there. */
    private static String heap(ContenderName name) {
        return switch (name.kind()) {
            case POSTRIDER -> "256m";
            case LIMIT -> "2g";
            default -> "1g";
        };
    }

    void prepare() {
        order(What.PREPARE);
    }

    public void backlog(long from, int count, Shape shape) {
        order(Order.backlog(from, count, shape));
    }

    /** Begins to deliver. */
    public void startDelivery() {
        order(What.START);
    }

    public void stopDelivery() {
        order(What.STOP);
    }

    /** When each of the events was committed. */
    public long[] paced(long from, int count, int rate, int threads, Shape shape) {
        long[] commits = order(Order.paced(from, count, rate, threads, shape)).commits();
        if (commits == null) {
            throw new BenchException(name.label() + " did not say when it committed.");
        }
        return commits;
    }

    /** Transactions a second, with so many events in each. */
    public double flatOut(int threads, double seconds, int events, Shape shape) {
        long begin = System.nanoTime();
        long transactions =
                order(Order.flatOut(0, threads, seconds, events, shape)).count();
        return transactions / ((System.nanoTime() - begin) / 1e9);
    }

    public Answer usage() {
        return order(What.USAGE);
    }

    public List<String> settings() {
        List<String> settings = order(What.SETTINGS).settings();
        return settings == null ? List.of() : settings;
    }

    private Answer order(What what) {
        return order(Order.simple(what));
    }

    private Answer order(Order order) {
        String line;
        try {
            send(JSON.writeValueAsString(order));
            line = answers.readLine();
            while (line != null && !line.startsWith("{")) {
                // The virtual machine itself has something to say.
                line = answers.readLine();
            }
        } catch (IOException e) {
            line = null;
        }
        if (line == null) {
            throw new BenchException(name.label() + " ended while it should " + order.what() + "." + lastWords());
        }
        Answer answer = JSON.readValue(line, Answer.class);
        if (answer.error() != null) {
            throw new BenchException(name.label() + " failed to " + order.what() + ": " + answer.error() + lastWords());
        }
        return answer;
    }

    private void send(String line) throws IOException {
        orders.write(line);
        orders.newLine();
        orders.flush();
    }

    private String lastWords() {
        try {
            List<String> lines = Files.readAllLines(log);
            return "\nIts log ends with:\n"
                    + String.join("\n", lines.subList(Math.max(0, lines.size() - LINES_OF_LOG), lines.size()));
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public void close() {
        try {
            orders.close();
        } catch (IOException e) {
            // It has ended already.
        }
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly().onExit().join();
            }
            Files.deleteIfExists(log);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            // Nobody can act on a leftover in the temporary directory.
        }
    }
}
