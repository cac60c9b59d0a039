package dev.postrider.devservices;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of a server, or of the few that make a cluster, from the first start to the end of everything they leave:
 *
 * <ol>
 *   <li>{@link #open}: exit hook, programs, watchdog, data, launch on ports that are free, wait until it serves. If any of
 *       that fails, nothing stays behind.
 *   <li>{@link #stop}, {@link #kill}, {@link #start} and {@link #restart}, in any order, on the same data and the same ports.
 *   <li>{@link #close}, or the exit of this JVM, or its death, which the watchdog or the server itself notices: the
 *       processes end, and a temporary directory is deleted.
 * </ol>
 *
 * <p>What kind of server it is, its {@link ServerNode}s know. All methods may be called from any thread; one at a time is
 * at work.
 */
final class ServerLife {

    private static final Logger log = LoggerFactory.getLogger(ServerLife.class);

    private static final int PORT_ATTEMPTS = 5;
    /** Recovery of much data takes its time; a server that cannot start ends much sooner. */
    private static final Duration START_LIMIT = Duration.ofMinutes(2);

    private static final Duration HAUNTED_LIMIT = Duration.ofSeconds(10);

    private final String name;
    private final Workspace workspace;
    private final List<ServerNode> nodes;
    private final boolean closeable;
    private final Thread exitHook;

    private final Map<ServerNode, List<Integer>> portsOf = new HashMap<>();
    private final Map<ServerNode, ServerProcess> runs = new HashMap<>();
    /** Those whose last run was cut off. */
    private final Set<ServerNode> crashed = new HashSet<>();

    private @Nullable Watchdog watchdog;
    private boolean closed;
    private volatile boolean exiting;

    /**
     * @param name at the beginning of a sentence
     * @param nodes one, or as many as make a cluster
     * @param closeable false if the servers end with the JVM only
     */
    ServerLife(String name, Workspace workspace, List<? extends ServerNode> nodes, boolean closeable) {
        this.name = name;
        this.workspace = workspace;
        this.nodes = List.copyOf(nodes);
        this.closeable = closeable;
        this.exitHook = new Thread(this::closeAtExit, "postrider-dev" + name.toLowerCase(Locale.ROOT) + "-exit");
    }

    synchronized void open() {
        long start = System.nanoTime();
        try {
            Runtime.getRuntime().addShutdownHook(exitHook);
            refuseTakenPorts();
            nodes.forEach(ServerNode::install);
            // Before there is anything to watch, so that nothing is ever without it.
            watch();
            nodes.forEach(ServerNode::prepare);
            launchOnFreePorts();
        } catch (RuntimeException | Error e) {
            try {
                end();
            } catch (RuntimeException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
        logStart(start);
    }

    private void watch() {
        StopMode mode = workspace.isTemporary() ? StopMode.AT_ONCE : StopMode.ORDERLY;
        for (ServerNode node : nodes) {
            node.orphansEnd(mode).ifPresent(end -> watchdog = Watchdog.watch(end, workspace.temporaryPath()));
        }
    }

    private void launchOnFreePorts() {
        for (int attempt = 1; ; attempt++) {
            List<Integer> ports = FreePorts.choose(wantedPorts());
            int used = 0;
            for (ServerNode node : nodes) {
                int count = node.wantedPorts().size();
                portsOf.put(node, List.copyOf(ports.subList(used, used + count)));
                node.use(portsOf.get(node));
                used += count;
            }
            try {
                launch(nodes);
                return;
            } catch (DevServicesException e) {
                // Taken by somebody between choosing and binding? Not if something of ours is still there.
                if (!runs.isEmpty() || ports.stream().allMatch(FreePorts::isFree) || attempt == PORT_ATTEMPTS) {
                    throw e;
                }
                refuseTakenPorts();
            }
        }
    }

    private List<WantedPort> wantedPorts() {
        return nodes.stream().flatMap(node -> node.wantedPorts().stream()).toList();
    }

    /** Before anything is unpacked, and again when a launch has failed because of a port. */
    private void refuseTakenPorts() {
        for (WantedPort wantedPort : wantedPorts()) {
            if (wantedPort.required() && !FreePorts.isFree(wantedPort.number())) {
                throw new DevServicesException(name + " was not started: port " + wantedPort.number()
                        + " is in use by another process; end that one, or choose another port");
            }
        }
    }

    private void launch(List<ServerNode> stopped) {
        List<ServerNode> expected = new ArrayList<>(running());
        expected.addAll(stopped);
        long deadline = System.nanoTime() + HAUNTED_LIMIT.toNanos();
        while (true) {
            for (ServerNode node : stopped) {
                Command command = node.configure(expected.size());
                runs.put(node, ServerProcess.launch(node.name(), command, node.log()));
            }
            // Below a majority a cluster cannot serve, and waiting for it would be waiting for our caller.
            if (!isMajority(expected.size())) {
                return;
            }
            boolean decided = Waiting.until(
                    START_LIMIT,
                    () -> exiting
                            || !expected.stream().allMatch(this::isRunning)
                            || expected.stream().allMatch(this::isReady));
            if (exiting) {
                // The processes stay for a moment: who closes us ends them properly.
                throw new DevServicesException(name + " was not started, because the JVM is exiting");
            }
            Optional<ServerNode> ended =
                    expected.stream().filter(node -> !isRunning(node)).findFirst();
            Optional<ServerNode> failed = decided
                    ? ended
                    : ended.or(() ->
                            expected.stream().filter(node -> !isReady(node)).findFirst());
            if (failed.isEmpty()) {
                stopped.forEach(crashed::remove);
                return;
            }
            ServerProcess run = runs.get(failed.get());
            DevServicesException failure = failureOf(failed.get(), run);
            stopped.forEach(this::cutOff);
            if (!failed.get().isHaunted(run) || System.nanoTime() > deadline) {
                throw failure;
            }
        }
    }

    private DevServicesException failureOf(ServerNode node, ServerProcess run) {
        StringBuilder reason = new StringBuilder();
        if (run.isRunning()) {
            reason.append("was not ready within ")
                    .append(START_LIMIT.toSeconds())
                    .append(" s");
        } else {
            reason.append("ended");
            portsOf.get(node).stream()
                    .filter(port -> !FreePorts.isFree(port))
                    .forEach(port -> reason.append("; port ").append(port).append(" is in use by another process"));
        }
        return new DevServicesException(
                node.name() + " did not start on " + node.address() + ": it " + reason + "; " + run.logTail());
    }

    private boolean isMajority(int count) {
        return 2 * count > nodes.size();
    }

    private boolean isReady(ServerNode node) {
        return node.isReady(runs.get(node));
    }

    /** The process id of a running server. */
    synchronized long pid(ServerNode node) {
        return run(node).pid();
    }

    /** The end of what a running server has said, for an error message. */
    synchronized String logTail(ServerNode node) {
        return run(node).logTail();
    }

    private ServerProcess run(ServerNode node) {
        ServerProcess run = runs.get(node);
        if (run == null || !run.isRunning()) {
            throw new IllegalStateException(node.name() + " is not running: restart() starts it");
        }
        return run;
    }

    synchronized boolean isRunning(ServerNode node) {
        ServerProcess run = runs.get(node);
        return run != null && run.isRunning();
    }

    private List<ServerNode> running() {
        return nodes.stream().filter(this::isRunning).toList();
    }

    /** Stops all, one after the other. */
    synchronized void stop() {
        running().forEach(this::stop);
    }

    /** In an orderly way as far as there is one. Keeps data and ports. */
    synchronized void stop(ServerNode node) {
        if (isRunning(node)) {
            end(node, StopMode.ORDERLY);
            log.info("{} on {} stopped", node.name(), node.address());
        }
    }

    private void end(ServerNode node, StopMode wanted) {
        ServerProcess run = runs.get(node);
        // An orderly end of a node means to hand over with the consent of a majority. Without one, the node would ask
        // for
        // minutes. Nothing is lost: the operating system has what it wrote.
        StopMode mode = isMajority(running().size()) ? wanted : StopMode.AT_ONCE;
        Optional<String> problem = node.stop(run, mode);
        if (problem.isPresent()) {
            log.warn("{} on {} did not stop and is killed: {}", node.name(), node.address(), problem.get());
            cutOff(node);
        }
        runs.remove(node);
    }

    /** A crash of all. */
    synchronized void kill() {
        running().forEach(this::kill);
    }

    /** A crash: the server's processes are killed at once. Keeps data and ports. */
    synchronized void kill(ServerNode node) {
        if (isRunning(node)) {
            cutOff(node);
            log.info("{} on {} killed", node.name(), node.address());
        }
    }

    private void cutOff(ServerNode node) {
        ServerProcess run = runs.get(node);
        if (run != null) {
            if (run.isRunning()) {
                crashed.add(node);
            }
            run.kill();
            runs.remove(node);
        }
    }

    /**
     * Starts one again; does nothing if it is running. Returns when it is ready, or at once if there are too few for a
     * majority: the start of the next one then waits for both.
     */
    synchronized void start(ServerNode node) {
        refuseIfClosed();
        if (!isRunning(node)) {
            long start = System.nanoTime();
            launch(List.of(node));
            log.info("{} on {} started in {} ms (pid {})", node.name(), node.address(), millisSince(start), pid(node));
        }
    }

    /** Starts all again, after stopping those that are running. */
    synchronized void restart() {
        refuseIfClosed();
        stop();
        long start = System.nanoTime();
        launch(nodes);
        logStart(start);
    }

    private void refuseIfClosed() {
        if (closed) {
            throw new IllegalStateException("this " + name + " is closed: start a new one");
        }
    }

    private void logStart(long start) {
        String pids = nodes.stream().map(node -> Long.toString(pid(node))).collect(Collectors.joining(", "));
        log.info(
                "{} on {} started in {} ms (pid {}, {})",
                name,
                addresses(),
                millisSince(start),
                pids,
                workspace.path());
    }

    private static long millisSince(long start) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }

    private String addresses() {
        return nodes.stream().map(ServerNode::address).collect(Collectors.joining(","));
    }

    /** Ends the servers and deletes their data, unless the user named the data directory. */
    synchronized void close() {
        if (closeable && !closed) {
            end();
        }
    }

    private void closeAtExit() {
        // A start in progress holds the monitor: let it give up.
        exiting = true;
        synchronized (this) {
            if (!closed) {
                end();
            }
        }
    }

    private void end() {
        closed = true;
        // An interrupted thread has to clean up as well.
        boolean interrupted = Thread.interrupted();
        try {
            List<ServerNode> ending = running();
            // An orderly end takes seconds and is good for nothing but the data.
            StopMode mode = workspace.isTemporary() ? StopMode.AT_ONCE : StopMode.ORDERLY;
            ending.forEach(node -> end(node, mode));
            if (!ending.isEmpty()) {
                log.info("{} on {} ended", name, addresses());
            }
            if (workspace.isTemporary()) {
                crashed.forEach(ServerNode::cleanUpAfterCrash);
            }
        } finally {
            if (watchdog != null) {
                watchdog.dismiss();
            }
            workspace.close();
            forgetExitHook();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void forgetExitHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(exitHook);
        } catch (IllegalStateException e) {
            // The JVM is exiting: the hook is running or about to, and finds nothing left to do.
        }
    }
}
