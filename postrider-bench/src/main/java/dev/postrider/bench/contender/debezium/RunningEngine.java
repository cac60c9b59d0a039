package dev.postrider.bench.contender.debezium;

import dev.postrider.bench.contender.PeerProducer;
import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.DebeziumEngine.RecordCommitter;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;

/**
 * One run of the engine, in a thread of its own, and the producer it feeds. Records reach us as the router leaves them,
 * without a converter in between: key and payload are strings already.
 */
final class RunningEngine {
    private final PeerProducer producer;
    private final DebeziumEngine<RecordChangeEvent<SourceRecord>> engine;
    private final Thread thread;
    private volatile @Nullable String end;

    RunningEngine(Properties properties, PeerProducer producer) {
        this.producer = producer;
        this.engine = DebeziumEngine.create(ChangeEventFormat.of(Connect.class))
                .using(properties)
                .using((boolean success, String message, Throwable error) -> end = message + " " + error)
                .notifying(this::send)
                .build();
        this.thread = new Thread(engine, "debezium-engine");
    }

    void start() {
        thread.start();
    }

    private void send(
            List<RecordChangeEvent<SourceRecord>> batch, RecordCommitter<RecordChangeEvent<SourceRecord>> committer)
            throws InterruptedException {
        List<Future<RecordMetadata>> sent = new ArrayList<>(batch.size());
        for (RecordChangeEvent<SourceRecord> event : batch) {
            SourceRecord record = event.record();
            sent.add(producer.send(record.topic(), (String) record.key(), (String) record.value()));
        }
        for (Future<RecordMetadata> acknowledgement : sent) {
            try {
                acknowledgement.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException("Kafka took not all of a batch; the engine ends: " + e.getCause(), e);
            }
        }
        for (RecordChangeEvent<SourceRecord> event : batch) {
            committer.markProcessed(event);
        }
        committer.markBatchFinished();
    }

    /** An engine that has ended never comes to stream. */
    void failIfEnded() {
        if (end != null) {
            throw new IllegalStateException("the engine has ended: " + end);
        }
    }

    /** Finishes the batch at hand and records how far it came. */
    void stop() throws IOException, InterruptedException {
        if (thread.isAlive()) {
            engine.close();
        }
        thread.join();
        producer.close();
    }
}
