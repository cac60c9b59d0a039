package com.acme;

import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.kafka.topics.TopicProvisioning;
import dev.postrider.kafka.topics.WantedTopic;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** One PostgreSQL and one Kafka for all tests of this program. */
final class Servers {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private Servers() {}

    /** A database that nobody else has. */
    static DataSource emptyDatabase() {
        DevPostgres postgres = DevPostgres.shared();
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(postgres.createDatabase("acme_" + NUMBER.incrementAndGet()));
        dataSource.setUser(postgres.user());
        dataSource.setPassword(postgres.password());
        return dataSource;
    }

    static DataSource databaseWithOutbox() {
        DataSource dataSource = emptyDatabase();
        OutboxSchema.migrate(dataSource, OutboxTable.DEFAULT);
        return dataSource;
    }

    /** Bootstrap servers of a Kafka with the topic that several pages name. */
    static String kafkaWithTransferEvents() {
        String bootstrapServers = DevKafka.shared().bootstrapServers();
        try (TopicProvisioning topics = TopicProvisioning.connect(Map.of("bootstrap.servers", bootstrapServers))) {
            WantedTopic wanted =
                    WantedTopic.ofEvents("transfer-events").withPartitions(1).withReplication(1, 1);
            topics.apply(topics.plan(List.of(wanted)), false);
        }
        return bootstrapServers;
    }

    static void execute(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The first column of every row, as text. */
    static List<String> column(DataSource dataSource, String sql) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                values.add(rows.getString(1));
            }
        }
        return values;
    }
}
