package dev.postrider.cli.demo;

import dev.postrider.PostriderException;
import dev.postrider.cli.debezium.PrintedConnector;
import dev.postrider.devservices.DevConnect;
import dev.postrider.devservices.DevKafka;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Debezium in the relays' place, configured by what {@code postrider debezium config} prints. */
final class DebeziumWorker implements Deliverers {
    private final DevKafka kafka;
    private final Map<String, String> environment;
    private @Nullable DevConnect connect;
    private volatile boolean down;

    DebeziumWorker(DevKafka kafka, Map<String, String> environment) {
        this.kafka = kafka;
        this.environment = environment;
    }

    @Override
    public void start(DataSource dataSource) throws SQLException {
        PrintedConnector connector = PrintedConnector.of(Path.of("").toAbsolutePath(), environment);
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(connector.publish());
        }
        connect = DevConnect.start(kafka);
        connect.create(connector.name(), connector.json());
    }

    private DevConnect connect() {
        if (connect == null) {
            throw new IllegalStateException("the worker was not started");
        }
        return connect;
    }

    @Override
    public void check() {
        if (!down && !connect().isRunning()) {
            throw new PostriderException("Kafka Connect has ended by itself.");
        }
    }

    @Override
    public List<String> names() {
        return List.of("Kafka Connect");
    }

    @Override
    public void kill(String name) {
        down = true;
        connect().kill();
    }

    @Override
    public void startAgain(String name) {
        connect().restart();
        down = false;
    }

    /** A worker has no lease that it could lose meanwhile. */
    @Override
    public boolean pause(String name, Duration length) {
        return false;
    }

    @Override
    public void stop() {
        connect().stop();
    }

    @Override
    public void close() {
        if (connect != null) {
            connect.close();
        }
    }
}
