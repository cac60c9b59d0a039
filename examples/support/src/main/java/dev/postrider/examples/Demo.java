package dev.postrider.examples;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The program behind an example's {@code run}: plays a script on a {@link Stage}, ends everything that the script
 * started, prints the verdict and exits: 0 if every claim held, 1 if one did not, 2 if the script broke, 130 after
 * Ctrl-C.
 */
public final class Demo {
    private static final long PATIENCE_SECONDS = 60;

    private Demo() {}

    /** What happens: starts servers and services, makes traffic, breaks something, makes claims. */
    @FunctionalInterface
    public interface Script {
        void play(Stage stage) throws Exception;
    }

    /** Plays the script and exits; never returns. */
    public static void run(String title, Script script) {
        Thread player = Thread.currentThread();
        CountDownLatch finished = new CountDownLatch(1);
        AtomicInteger status = new AtomicInteger();
        // A signal arrives as a shutdown hook: it interrupts the script, and the process stays until all is cleaned up.
        Thread onSignal = new Thread(
                () -> {
                    player.interrupt();
                    try {
                        if (finished.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                            Runtime.getRuntime().halt(status.get());
                        }
                    } catch (InterruptedException e) {
                        // Nobody interrupts this thread.
                    }
                },
                "demo-stop");
        Runtime.getRuntime().addShutdownHook(onSignal);
        status.set(play(title, script, new Screen(System.out)));
        try {
            Runtime.getRuntime().removeShutdownHook(onSignal);
        } catch (IllegalStateException e) {
            // The signal's thread is waiting, and ends the process with our status.
            finished.countDown();
            return;
        }
        System.exit(status.get());
    }

    static int play(String title, Script script, Screen screen) {
        screen.line(title);
        screen.line("");
        @Nullable Exception broken = null;
        Stage stage = new Stage(screen);
        try {
            script.play(stage);
        } catch (Exception e) {
            broken = e;
        }
        // Whatever follows must not be cut short by the interrupt that ended the script.
        boolean interrupted = Thread.interrupted() || broken instanceof InterruptedException;
        screen.close();
        stage.close();
        if (interrupted) {
            screen.line("Stopped; nothing is left running.");
            return 130;
        }
        if (broken != null) {
            screen.line("");
            screen.line("The demonstration broke: " + broken);
            stage.lastWords().forEach(screen::line);
            broken.printStackTrace();
            return 2;
        }
        return stage.verdict();
    }
}
