package dev.postrider.tests.campaign;

import dev.postrider.devservices.DevMariaDb;
import dev.postrider.devservices.DevPostgres;
import org.jspecify.annotations.Nullable;

/** Servers of the campaign's own, since they are crashed. Relays reach databases over wires, everybody else directly. */
final class CampaignServers implements AutoCloseable {
    private @Nullable CampaignBrokers oneBroker;
    private @Nullable CampaignBrokers threeBrokers;
    private @Nullable Database postgres;
    private @Nullable Database mariaDb;

    /** A database server that can be crashed. */
    record Database(
            Wire wire,
            int port,
            String user,
            String password,
            Creation creation,
            Runnable crash,
            AutoCloseable server) {
        interface Creation {
            String create(String name);
        }
    }

    /** An empty database on a server. */
    record Place(String directUrl, String wiredUrl, String user, String password, Wire wire, Runnable crash) {}

    synchronized CampaignBrokers brokers(Configuration configuration) {
        if (configuration.brokers() == 1) {
            oneBroker = oneBroker == null ? CampaignBrokers.one() : oneBroker;
            return oneBroker;
        }
        threeBrokers = threeBrokers == null ? CampaignBrokers.three() : threeBrokers;
        return threeBrokers;
    }

    synchronized Place place(Configuration configuration, String name) {
        Database database = configuration.isMariaDb() ? mariaDb() : postgres();
        String directUrl = database.creation().create(name);
        String wiredUrl = directUrl.replace(
                ":" + database.port() + "/", ":" + database.wire().port() + "/");
        return new Place(directUrl, wiredUrl, database.user(), database.password(), database.wire(), database.crash());
    }

    private Database postgres() {
        if (postgres == null) {
            DevPostgres server = DevPostgres.builder()
                    .setting("max_connections", "300")
                    .setting("log_min_messages", "fatal")
                    .start();
            Runnable crash = () -> {
                server.kill();
                server.restart();
            };
            postgres = new Database(
                    new Wire().to(server.port()),
                    server.port(),
                    server.user(),
                    server.password(),
                    server::createDatabase,
                    crash,
                    server);
        }
        return postgres;
    }

    private Database mariaDb() {
        if (mariaDb == null) {
            DevMariaDb server = DevMariaDb.builder()
                    .setting("max_connections", "300")
                    .setting("max_allowed_packet", "64M")
                    .start();
            Runnable crash = () -> {
                server.kill();
                server.restart();
            };
            mariaDb = new Database(
                    new Wire().to(server.port()),
                    server.port(),
                    server.user(),
                    server.password(),
                    server::createDatabase,
                    crash,
                    server);
        }
        return mariaDb;
    }

    @Override
    public void close() {
        for (Database database : new @Nullable Database[] {postgres, mariaDb}) {
            if (database != null) {
                database.wire().close();
                end(database.server());
            }
        }
        for (CampaignBrokers brokers : new @Nullable CampaignBrokers[] {oneBroker, threeBrokers}) {
            if (brokers != null) {
                brokers.close();
            }
        }
    }

    private static void end(AutoCloseable server) {
        try {
            server.close();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
