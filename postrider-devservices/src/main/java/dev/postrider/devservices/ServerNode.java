package dev.postrider.devservices;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * One server process on one directory: its files, its commands, its signs of life. {@link ServerLife} decides when they are
 * needed, and calls from one thread at a time; the address may be asked for by any.
 */
interface ServerNode {

    /** At the beginning of a sentence. */
    String name();

    /** Within a sentence: "on …". */
    String address();

    List<WantedPort> wantedPorts();

    /** One for each wanted port, and the same at every launch. */
    void use(List<Integer> ports);

    /** Makes the programs available. The first thing that happens. */
    default void install() {}

    /** Ends the server on behalf of an owner who has died; empty if it notices that by itself. */
    default Optional<Command> orphansEnd(StopMode mode) {
        return Optional.empty();
    }

    /** Makes the data directory if there is none, and waits for the server of a former owner to end. */
    void prepare();

    /**
     * Writes the settings, before every launch.
     *
     * @param nodes how many of the cluster, this one among them, will be running
     * @return what to launch
     */
    Command configure(int nodes);

    Path log();

    boolean isReady(ServerProcess run);

    /** Whether a launch that failed will succeed in a moment. */
    default boolean isHaunted(ServerProcess failed) {
        return false;
    }

    /**
     * Returns when the server has ended, or it is clear that it does not.
     *
     * @return why it has not ended
     */
    Optional<String> stop(ServerProcess run, StopMode mode);

    /** Frees what a killed server has left outside its directory, which is about to be deleted. */
    default void cleanUpAfterCrash() {}
}
