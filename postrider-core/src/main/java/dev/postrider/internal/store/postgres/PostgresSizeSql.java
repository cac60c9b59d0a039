package dev.postrider.internal.store.postgres;

/**
 * How many bytes of a row {@code o} come over when its event is read, as expressions on PostgreSQL. That of a text or of
 * bytes is known without reading it. That of JSON is not: what is stored may be compressed to less than a hundredth. So
 * there is a cheap expression that says at least how many, and one for the rest.
 */
final class PostgresSizeSql {
    private PostgresSizeSql() {}

    /** Exact. */
    private static final String SIZE = "({stored} + {hidden})";

    /** At least; from what is stored, without reading it. */
    private static final String STORED = """
            ({stored_json} + coalesce(octet_length(o.payload_binary), 0) + coalesce(octet_length(o.event_type), 0)
             + coalesce(octet_length(o.aggregate_type), 0) + coalesce(octet_length(o.aggregate_id), 0)
             + coalesce(octet_length(o.event_key), 0) + coalesce(octet_length(o.source), 0)
             + coalesce(octet_length(o.content_type), 0) + coalesce(octet_length(o.request_id), 0)
             + coalesce(octet_length(o.content_hash), 0))""";

    /** Of that, what is JSON; without what the storage itself needs. */
    private static final String STORED_JSON = """
            greatest(coalesce(pg_column_size(o.payload), 0)::bigint + coalesce(pg_column_size(o.headers), 0) - 16, 0)""";

    /** How much more of JSON comes over than is stored. Reads it; {@code json_send} copies it once, a cast to text twice. */
    private static final String HIDDEN = """
            (coalesce(octet_length(json_send(o.payload)), 0)::bigint + coalesce(octet_length(json_send(o.headers)), 0)
             - {stored_json})""";

    static String in(String statement) {
        return statement
                .replace("{size}", SIZE)
                .replace("{stored}", STORED)
                .replace("{hidden}", HIDDEN)
                .replace("{stored_json}", STORED_JSON);
    }
}
