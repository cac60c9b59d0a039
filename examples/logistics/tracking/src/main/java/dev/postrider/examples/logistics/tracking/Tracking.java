package dev.postrider.examples.logistics.tracking;

import dev.postrider.InboxSchema;
import dev.postrider.kafka.consume.ConsumerSettings;
import dev.postrider.kafka.consume.KafkaEventConsumer;
import dev.postrider.kafka.consume.StartAt;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Reads the order events until it is stopped. {@code TRACKING_DB_URL}, {@code TRACKING_DB_USER}, {@code
 * TRACKING_DB_PASSWORD} and {@code TRACKING_KAFKA} say where.
 */
public final class Tracking {
    private Tracking() {}

    public static void main(String[] args) throws InterruptedException {
        PGSimpleDataSource database = new PGSimpleDataSource();
        database.setUrl(setting("TRACKING_DB_URL"));
        database.setUser(setting("TRACKING_DB_USER"));
        database.setPassword(setting("TRACKING_DB_PASSWORD"));
        InboxSchema.migrate(database);
        KafkaEventConsumer consumer = consumer(setting("TRACKING_KAFKA"), "order-events", database);
        Runtime.getRuntime().addShutdownHook(new Thread(consumer::stop, "tracking-stop"));
        consumer.start();
        System.out.println("tracking: started");
        new CountDownLatch(1).await();
    }

    /** The database has the tables of {@code parcels.sql} and of the inbox. */
    public static KafkaEventConsumer consumer(String bootstrapServers, String topic, DataSource database) {
        return KafkaEventConsumer.builder(bootstrapServers, "tracking")
                .topics(topic)
                .settings(ConsumerSettings.builder().startAt(StartAt.EARLIEST).build())
                .batchHandler(new Parcels(database)::handle)
                .build();
    }

    private static String setting(String name) {
        String value = System.getenv(name);
        if (value == null) {
            throw new IllegalStateException(name + " is not set.");
        }
        return value;
    }
}
