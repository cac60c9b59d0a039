package dev.postrider.relay;

import dev.postrider.failure.Circuit;
import dev.postrider.publish.Publisher;
import dev.postrider.source.EventSource;
import java.sql.SQLException;

/** One loop with its source and its publisher, on one thread. */
public final class LoopWorker implements Worker {
    private final RelayLoop loop;
    private final EventSource source;
    private final Publisher publisher;
    private final Circuit circuit;
    private final Thread thread;

    public LoopWorker(String threadName, RelayLoop loop, EventSource source, Publisher publisher, Circuit circuit) {
        this.loop = loop;
        this.source = source;
        this.publisher = publisher;
        this.circuit = circuit;
        this.thread = new Thread(loop, threadName);
    }

    @Override
    public void start() {
        thread.start();
    }

    @Override
    public void nudge() {
        loop.nudge();
    }

    @Override
    public RelayLoop.Report runOnce() throws SQLException, InterruptedException {
        return loop.runOnce();
    }

    @Override
    public void stopTheLine() {
        loop.stopTheLineNow();
    }

    @Override
    public String circuit() {
        return circuit.state().label();
    }

    @Override
    public void stop() {
        askToStop();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        // What is still to be recorded may need the publisher.
        source.close();
        publisher.close();
    }

    /** As {@link #stop}, but does not wait for it. */
    void askToStop() {
        loop.stop();
    }

    /** Whether it has ended by itself. */
    boolean hasEnded() {
        return thread.getState() == Thread.State.TERMINATED;
    }
}
