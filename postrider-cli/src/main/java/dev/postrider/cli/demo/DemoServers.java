package dev.postrider.cli.demo;

import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevMariaDb;
import dev.postrider.devservices.DevServices;

/**
 * The demonstration's servers, with an empty database.
 *
 * @param ending ends them all
 */
record DemoServers(String url, String user, String password, DevKafka kafka, Runnable ending) implements AutoCloseable {
    private static final String DATABASE = "bank";

    static DemoServers start(DemoDatabase database) {
        return switch (database) {
            case POSTGRESQL -> withPostgres();
            case MARIADB -> withMariaDb();
        };
    }

    private static DemoServers withPostgres() {
        DevServices services = DevServices.start();
        return new DemoServers(
                services.postgres().createDatabase(DATABASE),
                services.postgres().user(),
                services.postgres().password(),
                services.kafka(),
                services::close);
    }

    private static DemoServers withMariaDb() {
        DevMariaDb database = DevMariaDb.start();
        DevKafka kafka;
        try {
            kafka = DevKafka.start();
        } catch (RuntimeException e) {
            database.close();
            throw e;
        }
        return new DemoServers(database.createDatabase(DATABASE), database.user(), database.password(), kafka, () -> {
            try {
                kafka.close();
            } finally {
                database.close();
            }
        });
    }

    @Override
    public void close() {
        ending.run();
    }
}
