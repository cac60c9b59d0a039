package dev.postrider.bench.lab;

import dev.postrider.bench.BenchException;
import dev.postrider.bench.contender.ContenderName;
import dev.postrider.bench.contender.Place;
import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.devservices.DevServices;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.jspecify.annotations.Nullable;

/**
 * One real PostgreSQL and one real Kafka broker for all runs; each run gets a database and a topic of its own. One
 * thread.
 */
public final class Laboratory implements AutoCloseable {
    public static final int PARTITIONS = 6;

    /** Said in the report. Nothing here makes the database less durable. */
    public static final Map<String, String> POSTGRES_SETTINGS = Map.of(
            "shared_buffers", "1GB",
            "max_wal_size", "8GB",
            "checkpoint_timeout", "30min",
            "max_connections", "200",
            // For Debezium; the same for everybody.
            "wal_level", "logical",
            // For counting statements; the same for everybody.
            "shared_preload_libraries", "pg_stat_statements");

    private final DevServices services;
    private final @Nullable Path recordings;
    private final Admin admin;
    private final AtomicInteger runs = new AtomicInteger();

    private Laboratory(DevServices services, @Nullable Path recordings) {
        this.services = services;
        this.recordings = recordings;
        this.admin = Admin.create(Map.of("bootstrap.servers", services.kafka().bootstrapServers()));
    }

    /**
     * @param recordings where the flight recordings of contenders go, if any are to be made
     */
    public static Laboratory open(@Nullable Path recordings) {
        DevPostgres.Builder postgres = DevPostgres.builder();
        POSTGRES_SETTINGS.forEach(postgres::setting);
        Laboratory laboratory = new Laboratory(DevServices.start(postgres, DevKafka.builder()), recordings);
        laboratory.countStatements();
        return laboratory;
    }

    private void countStatements() {
        execute(services.postgres().jdbcUrl(), "create extension pg_stat_statements");
    }

    /** Somewhere new and empty. */
    public Site site(ContenderName contender, Map<String, String> options) {
        String name = "run_" + runs.incrementAndGet();
        String url = services.postgres().createDatabase(name);
        Place place = new Place(
                url,
                services.postgres().user(),
                services.postgres().password(),
                services.kafka().bootstrapServers(),
                name,
                options);
        NewTopic topic = new NewTopic(name, PARTITIONS, (short) 1)
                // When it arrived is what the broker says, whoever sent it.
                .configs(Map.of("message.timestamp.type", "LogAppendTime"));
        try {
            admin.createTopics(List.of(topic)).all().get();
        } catch (ExecutionException e) {
            throw new BenchException("The topic of a run cannot be created: " + e.getCause(), e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        return new Site(this, contender, place);
    }

    /** Statements that the database has been asked to run so far, by everybody. */
    public long statements(Place place) {
        return Long.parseLong(ask("select coalesce(sum(calls), 0)::bigint from pg_stat_statements where dbid ="
                + " (select oid from pg_database where datname = '" + place.topic() + "')"));
    }

    public String postgresVersion() {
        return ask("show server_version");
    }

    private String ask(String query) {
        try (Connection connection = connect(services.postgres().jdbcUrl());
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            result.next();
            return result.getString(1);
        } catch (SQLException e) {
            throw new BenchException("The database does not answer: " + e.getMessage(), e);
        }
    }

    /** Runs a statement in the database of a run. */
    public void execute(Place place, String sql) {
        execute(place.jdbcUrl(), sql);
    }

    private void execute(String url, String sql) {
        try (Connection connection = connect(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new BenchException("The database refused: " + e.getMessage(), e);
        }
    }

    /** A connection of the scenario's own. */
    public Connection connect(Place place) throws SQLException {
        return connect(place.jdbcUrl());
    }

    private Connection connect(String url) throws SQLException {
        return DriverManager.getConnection(
                url, services.postgres().user(), services.postgres().password());
    }

    @Nullable
    Path recordings() {
        return recordings;
    }

    String bootstrapServers() {
        return services.kafka().bootstrapServers();
    }

    /** Makes room again, and lets the next run begin without what this one left to be written. */
    void clear(Place place) {
        execute(services.postgres().jdbcUrl(), "drop database if exists " + place.topic() + " with (force)");
        execute(services.postgres().jdbcUrl(), "checkpoint");
        try {
            admin.deleteTopics(List.of(place.topic())).all().get();
        } catch (ExecutionException e) {
            throw new BenchException("The topic of a run cannot be deleted: " + e.getCause(), e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    static BenchException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new BenchException("Interrupted.", e);
    }

    @Override
    public void close() {
        admin.close();
        services.close();
    }
}
