package dev.postrider.devservices;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A MariaDB server as {@link ServerLife} sees it. */
final class MariaDbNode implements ServerNode {

    private static final Duration STOP_LIMIT = Duration.ofSeconds(60);
    private static final Duration MOMENT = Duration.ofSeconds(10);
    private static final Duration ORPHAN_LIMIT = Duration.ofSeconds(30);

    private final Workspace workspace;
    private final MariaDbSettings settings;
    private final WantedPort wantedPort;

    private @Nullable MariaDbHome home;
    private volatile int port;

    MariaDbNode(Workspace workspace, MariaDbSettings settings, WantedPort wantedPort) {
        this.workspace = workspace;
        this.settings = settings;
        this.wantedPort = wantedPort;
    }

    @Override
    public String name() {
        return "MariaDB";
    }

    @Override
    public String address() {
        return "port " + port;
    }

    int port() {
        return port;
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
        home = MariaDbHome.in(workspace);
    }

    private MariaDbHome home() {
        if (home == null) {
            throw new IllegalStateException("MariaDB has not been installed");
        }
        return home;
    }

    @Override
    public Optional<Command> orphansEnd(StopMode mode) {
        return Optional.of(home().stop(mode, mode == StopMode.ORDERLY ? STOP_LIMIT : MOMENT));
    }

    @Override
    public void prepare() {
        home().awaitEndOfOrphan(ORPHAN_LIMIT);
        home().initialise();
    }

    @Override
    public Command configure(int nodes) {
        home().configure(settings.on(port));
        return home().server();
    }

    @Override
    public Path log() {
        return home().log();
    }

    @Override
    public boolean isReady(ServerProcess run) {
        return run.hasSaid("ready for connections");
    }

    @Override
    public Optional<String> stop(ServerProcess run, StopMode mode) {
        Command.Outcome outcome = home().stop(mode, STOP_LIMIT).run(STOP_LIMIT.plusSeconds(5));
        return outcome.isSuccess() && run.awaitExit(STOP_LIMIT) ? Optional.empty() : Optional.of(outcome.output());
    }
}
