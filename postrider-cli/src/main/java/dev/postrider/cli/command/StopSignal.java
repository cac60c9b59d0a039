package dev.postrider.cli.command;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets a command end in order on Ctrl-C or SIGTERM: the signal wakes whoever waits, and the process
 * stays until the command has returned, with the exit status the command chose.
 *
 * <p>The JVM tells of signals by running its shutdown hooks, and ends when the last one has returned.
 */
public final class StopSignal {
    private static final long PATIENCE_SECONDS = 60;

    private final CountDownLatch requested = new CountDownLatch(1);
    private final CountDownLatch finished = new CountDownLatch(1);
    private volatile Runnable action = () -> {};
    private volatile int status;

    /** From here on signals arrive here. */
    public void install() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::onShutdown, "postrider-stop"));
    }

    private void onShutdown() {
        if (finished.getCount() == 0) {
            return;
        }
        request();
        try {
            if (finished.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                // The JVM's own status would be that of a process killed by the signal.
                Runtime.getRuntime().halt(status);
            }
        } catch (InterruptedException e) {
            // Nobody interrupts this thread.
        }
    }

    /** What a signal does. */
    public void request() {
        requested.countDown();
        action.run();
    }

    public boolean isRequested() {
        return requested.getCount() == 0;
    }

    public void await() throws InterruptedException {
        requested.await();
    }

    /**
     * @return whether the signal has come
     */
    public boolean await(Duration atMost) throws InterruptedException {
        return requested.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Runs the action, on the signal's thread, when the signal comes, or at once if it has come. */
    public void onRequest(Runnable newAction) {
        action = newAction;
        if (isRequested()) {
            newAction.run();
        }
    }

    /** The command has returned: nothing is left to wait for. */
    public void finish(int exitStatus) {
        status = exitStatus;
        finished.countDown();
    }
}
