package dev.postrider.devservices;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A PostgreSQL server as {@link ServerLife} sees it. */
final class PostgresNode implements ServerNode {

    private static final Duration STOP_LIMIT = Duration.ofSeconds(60);
    private static final Duration MOMENT = Duration.ofSeconds(10);
    private static final Duration ORPHAN_LIMIT = Duration.ofSeconds(30);

    private final Workspace workspace;
    private final Consumer<PostgresCluster> origin;
    private final PostgresSettings settings;
    private final WantedPort wantedPort;

    private @Nullable PostgresCluster cluster;
    private volatile int port;

    /**
     * @param origin where the data comes from, if there is none in the workspace
     */
    PostgresNode(
            Workspace workspace, Consumer<PostgresCluster> origin, PostgresSettings settings, WantedPort wantedPort) {
        this.workspace = workspace;
        this.origin = origin;
        this.settings = settings;
        this.wantedPort = wantedPort;
    }

    @Override
    public String name() {
        return "PostgreSQL";
    }

    @Override
    public String address() {
        return "port " + port;
    }

    int port() {
        return port;
    }

    PostgresSettings settings() {
        return settings;
    }

    @Override
    public List<WantedPort> wantedPorts() {
        return List.of(wantedPort);
    }

    @Override
    public void use(List<Integer> ports) {
        port = ports.get(0);
    }

    @Override
    public void install() {
        cluster = PostgresCluster.in(workspace);
    }

    PostgresCluster cluster() {
        if (cluster == null) {
            throw new IllegalStateException("PostgreSQL has not been installed");
        }
        return cluster;
    }

    @Override
    public Optional<Command> orphansEnd(StopMode mode) {
        return Optional.of(cluster().stop(mode, mode == StopMode.ORDERLY ? STOP_LIMIT : MOMENT));
    }

    @Override
    public void prepare() {
        origin.accept(cluster());
        cluster().awaitEndOfOrphan(ORPHAN_LIMIT);
    }

    @Override
    public Command configure(int nodes) {
        cluster().configure(settings.on(port));
        return cluster().server();
    }

    @Override
    public Path log() {
        return cluster().log();
    }

    @Override
    public boolean isReady(ServerProcess run) {
        return cluster().isReady(run.pid());
    }

    /** A child of a killed server that was too young to be seen needs a moment to notice; see {@link ServerProcess}. */
    @Override
    public boolean isHaunted(ServerProcess failed) {
        return failed.hasSaid("is still in use");
    }

    @Override
    public Optional<String> stop(ServerProcess run, StopMode mode) {
        // One that has only just been launched cannot be told anything yet, and loses track of its shared memory
        // if it is cut off while it sets that up.
        Waiting.until(MOMENT, () -> !run.isRunning() || isReady(run));
        Command.Outcome outcome = cluster().stop(mode, STOP_LIMIT).run(STOP_LIMIT.plusSeconds(5));
        return outcome.isSuccess() && run.awaitExit(STOP_LIMIT) ? Optional.empty() : Optional.of(outcome.output());
    }

    /**
     * A killed server leaves shared memory behind that only a server on the same data directory finds and frees, as the
     * first thing it does. So we start one for this moment before the directory is gone for ever.
     */
    @Override
    public void cleanUpAfterCrash() {
        ServerProcess launched = ServerProcess.launch(name(), cluster().server(), log());
        try {
            Waiting.until(MOMENT, () -> !launched.isRunning() || isReady(launched));
            cluster().stop(StopMode.AT_ONCE, MOMENT).run(MOMENT);
        } finally {
            launched.kill();
        }
    }
}
