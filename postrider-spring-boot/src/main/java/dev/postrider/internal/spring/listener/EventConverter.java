package dev.postrider.internal.spring.listener;

import dev.postrider.internal.spring.event.PayloadReader;
import dev.postrider.kafka.consume.ReceivedEvent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.kafka.support.KafkaHeaders;
import org.springframework.kafka.support.converter.BatchMessageConverter;
import org.springframework.kafka.support.converter.RecordMessageConverter;
import org.springframework.messaging.Message;
import org.springframework.messaging.support.GenericMessage;

/**
 * Events as a listener's method takes them. Headers are texts: those of the record, the attributes of the CloudEvent by the
 * names that they have in its binary mode, in whichever mode it came, and Spring Kafka's own. Any thread.
 */
final class EventConverter implements RecordMessageConverter {
    private final Type type;
    private final PayloadReader payloads;

    EventConverter(Type type, PayloadReader payloads) {
        this.type = type;
        this.payloads = payloads;
    }

    @Override
    public Message<?> toMessage(
            ConsumerRecord<?, ?> record,
            @Nullable Object acknowledgment,
            @Nullable Object consumer,
            @Nullable Type inferred) {
        ReceivedEvent event = event(record);
        return new GenericMessage<>(value(event), headers(event));
    }

    private static ReceivedEvent event(ConsumerRecord<?, ?> record) {
        return ((EventRecord) record).event();
    }

    private Object value(ReceivedEvent event) {
        return type == ReceivedEvent.class ? event : payloads.read(event.payload(), type);
    }

    private static Map<String, Object> headers(ReceivedEvent event) {
        Map<String, Object> headers = new HashMap<>(event.headers());
        event.extensions().forEach((name, value) -> headers.put("ce_" + name, value));
        headers.put("ce_id", event.id());
        headers.put("ce_type", event.type());
        headers.put("ce_source", event.source());
        put(headers, "ce_time", event.time() == null ? null : event.time().toString());
        put(headers, "ce_aggregatetype", event.aggregateType());
        put(headers, "ce_aggregateid", event.aggregateId());
        headers.put("content-type", event.payload().contentType());
        put(headers, KafkaHeaders.RECEIVED_KEY, event.key());
        headers.put(KafkaHeaders.RECEIVED_TOPIC, event.origin().topic());
        headers.put(KafkaHeaders.RECEIVED_PARTITION, event.origin().partition());
        headers.put(KafkaHeaders.OFFSET, event.origin().offset());
        headers.put(KafkaHeaders.RECEIVED_TIMESTAMP, event.origin().timestamp().toEpochMilli());
        return headers;
    }

    private static void put(Map<String, Object> headers, String name, @Nullable String value) {
        if (value != null) {
            headers.put(name, value);
        }
    }

    @Override
    public ProducerRecord<?, ?> fromMessage(Message<?> message, String defaultTopic) {
        throw new UnsupportedOperationException("Postrider's listeners send no replies.");
    }

    /** The same for batches. */
    BatchMessageConverter ofBatches() {
        return new BatchMessageConverter() {
            @Override
            public Message<?> toMessage(
                    List<ConsumerRecord<?, ?>> records,
                    @Nullable Acknowledgment acknowledgment,
                    Consumer<?, ?> consumer,
                    Type inferred) {
                List<Object> values = new ArrayList<>(records.size());
                records.forEach(record -> values.add(value(event(record))));
                return new GenericMessage<>(values);
            }

            @Override
            public List<ProducerRecord<?, ?>> fromMessage(Message<?> message, String defaultTopic) {
                throw new UnsupportedOperationException("Postrider's listeners send no replies.");
            }
        };
    }
}
