package dev.postrider.examples;

import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevPostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Demo.Script} works with. Everything that it starts here is ended when the script is over, the last one
 * first, however it is over.
 */
public final class Stage {
    private final Screen screen;
    private final Deque<AutoCloseable> owned = new ArrayDeque<>();
    private final List<ServiceProcess> services = new ArrayList<>();
    private final List<Claim> claims = new ArrayList<>();

    private record Claim(String text, boolean holds, String detail) {}

    Stage(Screen screen) {
        this.screen = screen;
    }

    public Screen screen() {
        return screen;
    }

    /** Something happened that a person should know. */
    public void tell(String text) {
        screen.tell(text);
    }

    public DevPostgres postgres() {
        tell("Starting PostgreSQL …");
        return own(DevPostgres.start());
    }

    public DevKafka kafka() {
        tell("Starting Kafka …");
        return own(DevKafka.start());
    }

    /** Closes it at the end. */
    public <T extends AutoCloseable> T own(T closeable) {
        owned.push(closeable);
        return closeable;
    }

    /**
     * A service of the example, as a process of its own that is not started yet.
     *
     * @param module its folder below {@code examples}, such as {@code transfer/service}
     */
    public ServiceProcess service(String module, String mainClass) {
        ServiceProcess service = ServiceProcess.ofModule(examples().resolve(module), mainClass);
        services.add(service);
        return own(service);
    }

    /**
     * A service that is not a module of the build, as a process of its own that is not started yet.
     *
     * @param directory where it runs
     */
    public ServiceProcess program(String name, Path directory, String... program) {
        ServiceProcess service = ServiceProcess.ofProgram(name, directory, program);
        services.add(service);
        return own(service);
    }

    /** The folder {@code examples}, as the launcher script says. */
    public Path examples() {
        String folder = System.getProperty("examples.home");
        if (folder == null) {
            throw new IllegalStateException("Start this program by examples/NAME/run.");
        }
        return Path.of(folder);
    }

    /** Lets time pass. */
    public void pause(Duration time) throws InterruptedException {
        Thread.sleep(time.toMillis());
    }

    /**
     * Waits until the condition is true. A condition that throws counts as not true yet: servers may be down.
     *
     * @param what ends the sentence "waited in vain for …"
     */
    public void await(String what, Duration atMost, Callable<Boolean> condition) throws Exception {
        long begin = System.nanoTime();
        @Nullable Exception last = null;
        while (System.nanoTime() - begin < atMost.toNanos()) {
            try {
                last = null;
                if (condition.call()) {
                    return;
                }
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                last = e;
            }
            services.forEach(ServiceProcess::check);
            Thread.sleep(100);
        }
        throw new IllegalStateException("waited in vain for " + what + ", " + atMost.toSeconds() + " s", last);
    }

    /** A part of the verdict. */
    public void claim(String text, boolean holds, String detail) {
        claims.add(new Claim(text, holds, detail));
    }

    int verdict() {
        screen.line("");
        for (Claim claim : claims) {
            screen.line(String.format(
                    Locale.ROOT, "  %s  %s%s", claim.holds() ? "yes" : "NO ", claim.text(), parenthesised(claim)));
        }
        boolean all = !claims.isEmpty() && claims.stream().allMatch(Claim::holds);
        screen.line("");
        screen.line(all ? "PASSED" : "FAILED");
        return all ? 0 : 1;
    }

    private static String parenthesised(Claim claim) {
        return claim.detail().isEmpty() ? "" : " (" + claim.detail() + ")";
    }

    Stream<String> lastWords() {
        return services.stream().flatMap(service -> service.lastLines().stream());
    }

    void close() {
        while (!owned.isEmpty()) {
            AutoCloseable next = owned.pop();
            try {
                next.close();
            } catch (Exception e) {
                screen.line("Could not be ended: " + e);
            }
        }
    }
}
