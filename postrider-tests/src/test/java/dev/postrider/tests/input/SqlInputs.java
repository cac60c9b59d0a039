package dev.postrider.tests.input;

import dev.postrider.tests.input.BadInput.Attempt;
import dev.postrider.tests.input.BadInput.Kind;
import java.util.ArrayList;
import java.util.List;

/** What programs in any language insert: refused by the table, or a dead letter with a reason. */
final class SqlInputs {
    private final List<BadInput> inputs = new ArrayList<>();

    static List<BadInput> all() {
        SqlInputs all = new SqlInputs();
        all.add();
        return all.inputs;
    }

    private void input(String name, Attempt attempt, int status, String line) {
        inputs.add(new BadInput(Kind.SQL, name, attempt, status, line));
    }

    /** Accepted by the table, and a dead letter as soon as a relay looks at it; the event before it is sent. */
    private static Attempt dead(String statement) {
        return playground -> {
            try {
                return playground.row(statement);
            } finally {
                playground.restore();
            }
        };
    }

    private void add() {
        input("no type", playground -> playground.sql("insert into outbox (aggregate_type, aggregate_id, payload) values ('order', '42', '{}')"), 0, "?");
        input("no aggregate", playground -> playground.sql("insert into outbox (event_type, aggregate_type, payload) values ('acme.order.paid.v1', 'order', '{}')"), 0, "?");
        input("no payload", playground -> playground.sql("insert into outbox (event_type, aggregate_type, aggregate_id) values ('acme.order.paid.v1', 'order', '42')"), 0, "?");
        input("payload that is not JSON", playground -> playground.sql("insert into outbox (event_type, aggregate_type, aggregate_id, payload) values ('acme.order.paid.v1', 'order', '42', '{\"a\": ')"), 0, "?");
        input("two payloads", playground -> playground.sql("insert into outbox (event_type, aggregate_type, aggregate_id, payload, payload_binary) values ('acme.order.paid.v1', 'order', '42', '{}', '\\x00')"), 0, "?");
        input("id that is no UUID", playground -> playground.sql("insert into outbox (event_type, aggregate_type, aggregate_id, payload, event_id) values ('acme.order.paid.v1', 'order', '42', '{}', '42')"), 0, "?");
        input("headers that are a list", playground -> playground.sql("insert into outbox (event_type, aggregate_type, aggregate_id, payload, headers) values ('acme.order.paid.v1', 'order', '42', '{}', '[1]')"), 0, "?");
        input("headers that are not JSON", playground -> playground.sql("insert into outbox (event_type, aggregate_type, aggregate_id, payload, headers) values ('acme.order.paid.v1', 'order', '42', '{}', 'a=b')"), 0, "?");
        input("state that there is not", playground -> playground.sql("insert into outbox (event_type, aggregate_type, aggregate_id, payload, status) values ('acme.order.paid.v1', 'order', '42', '{}', 'DONE')"), 0, "?");
        input("own number of the row", playground -> playground.sql("insert into outbox (event_type, aggregate_type, aggregate_id, payload, id) values ('acme.order.paid.v1', 'order', '42', '{}', 7)"), 0, "?");
        input("time that is none", playground -> playground.sql("insert into outbox (event_type, aggregate_type, aggregate_id, payload, next_attempt_at) values ('acme.order.paid.v1', 'order', '42', '{}', 'lunch')"), 0, "?");
        input("column that there is not", playground -> playground.sql("insert into outbox (event_type, aggregate_type, aggregate_id, payload, topic) values ('acme.order.paid.v1', 'order', '42', '{}', 'orders')"), 0, "?");
        input("request id that was used", playground -> playground.sql("insert into outbox (event_type, aggregate_type, aggregate_id, payload, request_id) select 'acme.order.paid.v1', 'order', '42', '{}', 'r1' from generate_series(1, 2)"), 0, "?");
        input("retries that are no number", playground -> playground.sql("insert into outbox (event_type, aggregate_type, aggregate_id, payload, max_retries) values ('acme.order.paid.v1', 'order', '42', '{}', 'many')"), 0, "?");
        input("NUL in an id", playground -> playground.sql("insert into outbox (event_type, aggregate_type, aggregate_id, payload) values ('acme.order.paid.v1', 'order', E'4\\u00002', '{}')"), 0, "?");
        input("type that is empty", dead("insert into outbox (event_type, aggregate_type, aggregate_id, payload) values ('', 'order', '42', '{}')"), 0, "?");
        input("type that is blank", dead("insert into outbox (event_type, aggregate_type, aggregate_id, payload) values ('  ', 'order', '42', '{}')"), 0, "?");
        input("aggregate type that is empty", dead("insert into outbox (event_type, aggregate_type, aggregate_id, payload) values ('acme.order.paid.v1', '', '42', '{}')"), 0, "?");
        input("aggregate id that is empty", dead("insert into outbox (event_type, aggregate_type, aggregate_id, payload) values ('acme.order.paid.v1', 'order', '', '{}')"), 0, "?");
        input("header that is a number", dead("insert into outbox (event_type, aggregate_type, aggregate_id, payload, headers) values ('acme.order.paid.v1', 'order', '42', '{}', '{\"a\": 1}')"), 0, "?");
        input("header that is an object", dead("insert into outbox (event_type, aggregate_type, aggregate_id, payload, headers) values ('acme.order.paid.v1', 'order', '42', '{}', '{\"a\": {\"b\": \"c\"}}')"), 0, "?");
        input("header that belongs to the envelope", dead("insert into outbox (event_type, aggregate_type, aggregate_id, payload, headers) values ('acme.order.paid.v1', 'order', '42', '{}', '{\"ce_id\": \"mine\"}')"), 0, "?");
        input("header with a line break", dead("insert into outbox (event_type, aggregate_type, aggregate_id, payload, headers) values ('acme.order.paid.v1', 'order', '42', '{}', '{\"a\": \"b\\nc\"}')"), 0, "?");
        input("header that is null", dead("insert into outbox (event_type, aggregate_type, aggregate_id, payload, headers) values ('acme.order.paid.v1', 'order', '42', '{}', '{\"a\": null}')"), 0, "?");
        input("retries below zero", dead("insert into outbox (event_type, aggregate_type, aggregate_id, payload, max_retries) values ('acme.order.paid.v1', 'order', '42', '{}', -1)"), 0, "?");
        input("hash that does not fit", dead("insert into outbox (event_type, aggregate_type, aggregate_id, payload, content_hash) values ('acme.order.paid.v1', 'order', '42', '{}', 'sha256:00')"), 0, "?");
        input("content type with a line break", dead("insert into outbox (event_type, aggregate_type, aggregate_id, payload, content_type) values ('acme.order.paid.v1', 'order', '42', '{}', E'text\\nplain')"), 0, "?");
    }
}
