package dev.postrider.tests.support;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Leaves transactions hanging: open in a partition, and unknown to their coordinator. */
public final class HangingTransactions implements AutoCloseable {
    /** For all brokers. */
    private static final ConfigResource BROKERS = new ConfigResource(ConfigResource.Type.BROKER, "");

    private final Admin admin;

    public HangingTransactions(String servers) {
        this.admin = Admin.create(Map.of("bootstrap.servers", servers));
    }

    /** A record that hangs. */
    public record Hanging(TopicPartition partition, long offset, long timestamp, long producerId, short epoch) {}

    /** By the producer that has this transactional id now, which must have no transaction open. */
    public Hanging leave(String transactionalId, TopicPartition partition, String key, String value, Header... headers)
            throws Exception {
        TransactionDescription known = admin.describeTransactions(List.of(transactionalId))
                .description(transactionalId)
                .get();
        Node leader = admin.describeTopics(List.of(partition.topic()))
                .allTopicNames()
                .get()
                .get(partition.topic())
                .partitions()
                .get(partition.partition())
                .leader();
        SimpleRecord record =
                new SimpleRecord(System.currentTimeMillis(), key.getBytes(UTF_8), value.getBytes(UTF_8), headers);
        short epoch = (short) known.producerEpoch();
        AtomicLong offset = new AtomicLong();
        verifyTransactions(AlterConfigOp.OpType.SET);
        try {
            // The broker hears of its setting a little later.
            await().until(() -> {
                offset.set(RawProducer.write(leader, partition, transactionalId, known.producerId(), epoch, record));
                return offset.get() >= 0;
            });
        } finally {
            verifyTransactions(AlterConfigOp.OpType.DELETE);
        }
        if (!hides(partition)) {
            throw new AssertionError("nothing hangs in " + partition);
        }
        return new Hanging(partition, offset.get(), record.timestamp(), known.producerId(), epoch);
    }

    /** Brokers that ask coordinators do not take such a record. */
    private void verifyTransactions(AlterConfigOp.OpType type) throws Exception {
        ConfigEntry off = new ConfigEntry("transaction.partition.verification.enable", "false");
        admin.incrementalAlterConfigs(Map.of(BROKERS, List.of(new AlterConfigOp(off, type))))
                .all()
                .get();
    }

    /** Whether there is something that readers of committed records do not get to see. */
    public boolean hides(TopicPartition partition) throws Exception {
        return end(partition, IsolationLevel.READ_COMMITTED) < end(partition);
    }

    /** The end of what was written, committed or not. */
    public long end(TopicPartition partition) throws Exception {
        return end(partition, IsolationLevel.READ_UNCOMMITTED);
    }

    private long end(TopicPartition partition, IsolationLevel level) throws Exception {
        return admin.listOffsets(Map.of(partition, OffsetSpec.latest()), new ListOffsetsOptions(level))
                .partitionResult(partition)
                .get()
                .offset();
    }

    @Override
    public void close() {
        admin.close();
    }
}
