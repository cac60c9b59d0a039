package dev.postrider.store.jdbc;

/**
 * How many bytes of a row {@code o} come over when its event is read, as expressions on PostgreSQL. That of a text or of
 * bytes is known without reading it. That of JSON is not, and what is stored may be compressed to less than a hundredth; so
 * there are two expressions, of which the cheap one is never the larger.
 */
final class PostgresSizeSql {
    private PostgresSizeSql() {}

    /** Exact. Reads JSON as a whole; {@code json_send} copies it once, a cast to text twice. */
    private static final String SIZE = """
            (coalesce(octet_length(json_send(o.payload)), 0)::bigint + coalesce(octet_length(json_send(o.headers)), 0) +
             coalesce(octet_length(o.payload_binary), 0) + {names})""";

    /** At least; from what is stored, without reading it. */
    private static final String STORED = """
            ({stored_json} + coalesce(octet_length(o.payload_binary), 0) + {names})""";

    /** Of that, what is JSON; without what the storage itself needs. */
    private static final String STORED_JSON = """
            (coalesce(pg_column_size(o.payload), 0)::bigint + coalesce(pg_column_size(o.headers), 0) - 16)""";

    private static final String NAMES = """
            coalesce(octet_length(o.event_type), 0)::bigint + coalesce(octet_length(o.aggregate_type), 0)
             + coalesce(octet_length(o.aggregate_id), 0) + coalesce(octet_length(o.event_key), 0)
             + coalesce(octet_length(o.source), 0) + coalesce(octet_length(o.content_type), 0)
             + coalesce(octet_length(o.request_id), 0) + coalesce(octet_length(o.content_hash), 0)""";

    static String in(String statement) {
        return statement
                .replace("{size}", SIZE.replace("{names}", NAMES))
                .replace("{stored}", STORED.replace("{names}", NAMES))
                .replace("{stored_json}", STORED_JSON);
    }
}
