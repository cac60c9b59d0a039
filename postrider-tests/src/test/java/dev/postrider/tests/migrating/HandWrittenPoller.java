package dev.postrider.tests.migrating;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * An outbox as many services have one: a table with a status, a method that runs every so often, and a send that waits for its
 * answer. With Spring it would be a method with {@code @Scheduled} and {@code kafkaTemplate.send(..).get()}.
 */
final class HandWrittenPoller implements AutoCloseable {
    static final String TABLE = """
            create table order_outbox (
                id bigint generated always as identity primary key,
                event_id uuid not null,
                order_id text not null,
                payload text not null,
                status text not null default 'NEW')
            """;

    private record Row(long id, String eventId, String orderId, String payload) {}

    private final DataSource dataSource;
    private final String topic;
    private final KafkaProducer<String, String> producer;
    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    private final AtomicInteger sent = new AtomicInteger();

    /** Held for a pass, so that a pause begins between two. */
    private final ReentrantLock running = new ReentrantLock();

    private boolean paused;

    HandWrittenPoller(DataSource dataSource, String servers, String topic) {
        this.dataSource = dataSource;
        this.topic = topic;
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", servers), new StringSerializer(), new StringSerializer());
    }

    void start() {
        scheduler.scheduleWithFixedDelay(this::run, 0, 20, TimeUnit.MILLISECONDS);
    }

    private void run() {
        running.lock();
        try {
            if (!paused) {
                poll();
            }
        } catch (SQLException | ExecutionException e) {
            // As they all do: the next run tries again.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            running.unlock();
        }
    }

    private void poll() throws SQLException, ExecutionException, InterruptedException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement mark =
                        connection.prepareStatement("update order_outbox set status = 'SENT' where id = ?")) {
            for (Row row : next(connection)) {
                ProducerRecord<String, String> record = new ProducerRecord<>(topic, row.orderId(), row.payload());
                record.headers().add("ce_id", row.eventId().getBytes(UTF_8));
                producer.send(record).get();
                mark.setLong(1, row.id());
                mark.executeUpdate();
                sent.incrementAndGet();
            }
        }
    }

    private static List<Row> next(Connection connection) throws SQLException {
        List<Row> rows = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(
                        "select id, event_id, order_id, payload from order_outbox where status = 'NEW' order by id"
                                + " limit 100");
                ResultSet found = select.executeQuery()) {
            while (found.next()) {
                rows.add(new Row(found.getLong(1), found.getString(2), found.getString(3), found.getString(4)));
            }
        }
        return rows;
    }

    /** Sends nothing from here on. Many have such a switch; stopping the process does as well. */
    void pause() {
        running.lock();
        paused = true;
        running.unlock();
    }

    void resume() {
        running.lock();
        paused = false;
        running.unlock();
    }

    int sent() {
        return sent.get();
    }

    @Override
    public void close() {
        scheduler.shutdownNow();
        producer.close();
    }
}
