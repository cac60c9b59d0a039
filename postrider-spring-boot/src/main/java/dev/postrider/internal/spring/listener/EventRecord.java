package dev.postrider.internal.spring.listener;

import dev.postrider.kafka.consume.NotACloudEventException;
import dev.postrider.kafka.consume.ReceivedEvent;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A record together with the event that is in it, which is read once. */
final class EventRecord extends ConsumerRecord<byte[], byte[]> {
    private final ReceivedEvent event;

    private EventRecord(ConsumerRecord<byte[], byte[]> record, ReceivedEvent event) {
        super(
                record.topic(),
                record.partition(),
                record.offset(),
                record.timestamp(),
                record.timestampType(),
                record.serializedKeySize(),
                record.serializedValueSize(),
                record.key(),
                record.value(),
                record.headers(),
                record.leaderEpoch());
        this.event = event;
    }

    static EventRecord read(ConsumerRecord<byte[], byte[]> record) throws NotACloudEventException {
        return new EventRecord(record, ReceivedEvent.read(record));
    }

    ReceivedEvent event() {
        return event;
    }
}
