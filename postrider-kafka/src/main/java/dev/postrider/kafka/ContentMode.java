package dev.postrider.kafka;

/** How a CloudEvent is laid out in a Kafka record (CloudEvents 1.0, Kafka protocol binding). */
public enum ContentMode {
    /** Attributes in {@code ce_*} headers, the payload byte for byte as the record's value. */
    BINARY,
    /** Attributes and payload together as one JSON document. */
    STRUCTURED
}
