package dev.postrider.cli.devservices;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What {@code postrider devservices} is to run.
 *
 * @param mariaDb in place of PostgreSQL
 * @param kafkaPort the first broker's
 * @param data null for temporary directories
 */
record WantedServers(
        boolean mariaDb,
        Port databasePort,
        int brokers,
        Port kafkaPort,
        @Nullable Path data) {

    /**
     * @param required whether another one will not do
     */
    record Port(int number, boolean required) {}
}
