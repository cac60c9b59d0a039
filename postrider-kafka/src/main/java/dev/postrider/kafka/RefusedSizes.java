package dev.postrider.kafka;

import dev.postrider.publish.PublishResult;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.utils.ByteUtils;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Which records are not worth sending for their size: those that Kafka's producer would refuse itself, because inside a
 * transaction that costs the transaction, and those as large as what their topic has refused a moment ago. A refusal by the broker costs a producer or a transaction, and with it
 * everything else in flight; when an operator sends a thousand dead letters again that are too large, a few refusals, each of
 * a smaller one than the last, say it for all of them.
 *
 * <p>The memory is short because a topic's limit can be raised at any time. Compressed sizes cannot be compared before
 * they are compressed, so nothing is remembered of a producer that compresses. Any thread.
 */
final class RefusedSizes {
    private static final long MEMORY = Duration.ofSeconds(30).toNanos();
    private static final int MOST_REMEMBERED = 1_000;

    /** What a batch of one record has beside the record's key, value and headers. */
    private static final int BATCH_OVERHEAD = 61 + 4;

    private final boolean comparable;
    private final int maxRequestSize;
    private final LongSupplier nanoTime;
    private final Map<String, Refusal> byTopic = new ConcurrentHashMap<>();

    private record Refusal(int size, String errorClass, String reason, long at) {
        boolean isRecent(long now) {
            return now - at < MEMORY;
        }
    }

    /**
     * @param comparable whether a record that is larger here is larger for the broker
     * @param maxRequestSize the producer's own limit, which counts what is not compressed
     */
    RefusedSizes(boolean comparable, int maxRequestSize, LongSupplier nanoTime) {
        this.comparable = comparable;
        this.maxRequestSize = maxRequestSize;
        this.nanoTime = nanoTime;
    }

    static RefusedSizes of(ProducerSettings settings, LongSupplier nanoTime) {
        ProducerConfig parsed = settings.parsed();
        return new RefusedSizes(
                parsed.getString(ProducerConfig.COMPRESSION_TYPE_CONFIG).equals("none"),
                parsed.getInt(ProducerConfig.MAX_REQUEST_SIZE_CONFIG),
                nanoTime);
    }

    /** Why a record is not worth sending; null if it is. */
    @Nullable
    PublishResult obstacle(ProducerRecord<byte[], byte[]> record) {
        boolean small = record.value().length < maxRequestSize / 2;
        if (small && byTopic.isEmpty()) {
            return null;
        }
        if (!small && size(record) + BATCH_OVERHEAD > maxRequestSize) {
            return new PublishResult.Rejected(
                    RecordTooLargeException.class.getSimpleName(),
                    "RecordTooLargeException: The message has " + (size(record) + BATCH_OVERHEAD)
                            + " bytes, and the producer's max.request.size is " + maxRequestSize + ".",
                    true);
        }
        Refusal refusal = byTopic.get(record.topic());
        if (refusal == null || size(record) < refusal.size) {
            return null;
        }
        if (!refusal.isRecent(nanoTime.getAsLong())) {
            byTopic.remove(record.topic(), refusal);
            return null;
        }
        return new PublishResult.Rejected(
                refusal.errorClass,
                refusal.reason + " (It was not sent: topic " + record.topic() + " has just refused an event of "
                        + refusal.size + " bytes, and this one has " + size(record) + ".)",
                true);
    }

    void failed(ProducerRecord<byte[], byte[]> record, Exception error) {
        // Not a whole batch that is too large: then small ones are refused with the others.
        if (!comparable || !(error instanceof RecordTooLargeException)) {
            return;
        }
        long now = nanoTime.getAsLong();
        if (byTopic.size() >= MOST_REMEMBERED) {
            byTopic.values().removeIf(refusal -> !refusal.isRecent(now));
        }
        String errorClass = error.getClass().getSimpleName();
        Refusal refusal = new Refusal(size(record), errorClass, errorClass + ": " + error.getMessage(), now);
        byTopic.merge(
                record.topic(),
                refusal,
                (before, next) -> before.isRecent(now) && before.size < next.size ? before : next);
    }

    /** The bytes of a record in a batch, but for its times and its own length, which are the same for all that go alone. */
    private static int size(ProducerRecord<byte[], byte[]> record) {
        int size = withLength(record.key()) + withLength(record.value());
        size += ByteUtils.sizeOfVarint(record.headers().toArray().length);
        for (Header header : record.headers()) {
            int name = Utils.utf8Length(header.key());
            size += ByteUtils.sizeOfVarint(name) + name + withLength(header.value());
        }
        return size;
    }

    private static int withLength(byte @Nullable [] bytes) {
        return bytes == null ? 1 : ByteUtils.sizeOfVarint(bytes.length) + bytes.length;
    }
}
