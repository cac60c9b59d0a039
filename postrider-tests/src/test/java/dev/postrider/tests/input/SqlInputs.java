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
        input(
                "no type",
                playground -> playground.sql(
                        "insert into outbox (aggregate_type, aggregate_id, payload) values ('order', '42', '{}')"),
                0,
                "ERROR: null value in column \"event_type\" of relation \"outbox\" violates not-null constraint");
        input(
                "no aggregate",
                playground -> playground.sql(
                        "insert into outbox (event_type, aggregate_type, payload) values ('acme.order.paid.v1', 'order', '{}')"),
                0,
                "ERROR: null value in column \"aggregate_id\" of relation \"outbox\" violates not-null constraint");
        input(
                "no payload",
                playground -> playground.sql(
                        "insert into outbox (event_type, aggregate_type, aggregate_id) values ('acme.order.paid.v1', 'order', '42')"),
                0,
                "ERROR: new row for relation \"outbox\" violates check constraint \"outbox_one_payload\"");
        input(
                "payload that is not JSON",
                playground -> playground.sql(
                        "insert into outbox (event_type, aggregate_type, aggregate_id, payload) values ('acme.order.paid.v1', 'order', '42', '{\"a\": ')"),
                0,
                "ERROR: invalid input syntax for type json");
        input(
                "two payloads",
                playground -> playground.sql(
                        "insert into outbox (event_type, aggregate_type, aggregate_id, payload, payload_binary) values ('acme.order.paid.v1', 'order', '42', '{}', '\\x00')"),
                0,
                "ERROR: new row for relation \"outbox\" violates check constraint \"outbox_one_payload\"");
        input(
                "id that is no UUID",
                playground -> playground.sql(
                        "insert into outbox (event_type, aggregate_type, aggregate_id, payload, event_id) values ('acme.order.paid.v1', 'order', '42', '{}', '42')"),
                0,
                "ERROR: invalid input syntax for type uuid: \"42\"");
        input(
                "headers that are a list",
                playground -> playground.sql(
                        "insert into outbox (event_type, aggregate_type, aggregate_id, payload, headers) values ('acme.order.paid.v1', 'order', '42', '{}', '[1]')"),
                0,
                "ERROR: new row for relation \"outbox\" violates check constraint \"outbox_headers_object\"");
        input(
                "headers that are not JSON",
                playground -> playground.sql(
                        "insert into outbox (event_type, aggregate_type, aggregate_id, payload, headers) values ('acme.order.paid.v1', 'order', '42', '{}', 'a=b')"),
                0,
                "ERROR: invalid input syntax for type json");
        input(
                "own number of the row",
                playground -> playground.sql(
                        "insert into outbox (event_type, aggregate_type, aggregate_id, payload, id) values ('acme.order.paid.v1', 'order', '42', '{}', 7)"),
                0,
                "ERROR: cannot insert a non-DEFAULT value into column \"id\"");
        input(
                "time that is none",
                playground -> playground.sql(
                        "insert into outbox (event_type, aggregate_type, aggregate_id, payload, next_attempt_at) values ('acme.order.paid.v1', 'order', '42', '{}', 'lunch')"),
                0,
                "ERROR: invalid input syntax for type timestamp with time zone: \"lunch\"");
        input(
                "column that there is not",
                playground -> playground.sql(
                        "insert into outbox (event_type, aggregate_type, aggregate_id, payload, topic) values ('acme.order.paid.v1', 'order', '42', '{}', 'orders')"),
                0,
                "ERROR: column \"topic\" of relation \"outbox\" does not exist");
        input(
                "request id that was used",
                playground -> playground.sql(
                        "insert into outbox (event_type, aggregate_type, aggregate_id, payload, request_id) select 'acme.order.paid.v1', 'order', '42', '{}', 'r1' from generate_series(1, 2)"),
                0,
                "ERROR: duplicate key value violates unique constraint \"outbox_request\"");
        input(
                "retries that are no number",
                playground -> playground.sql(
                        "insert into outbox (event_type, aggregate_type, aggregate_id, payload, max_retries) values ('acme.order.paid.v1', 'order', '42', '{}', 'many')"),
                0,
                "ERROR: invalid input syntax for type integer: \"many\"");
        input(
                "NUL in an id",
                playground -> playground.sql(
                        "insert into outbox (event_type, aggregate_type, aggregate_id, payload) values ('acme.order.paid.v1', 'order', E'4\\u00002', '{}')"),
                0,
                "ERROR: invalid Unicode escape value at or near \"\\u0000\"");
        input(
                "type that is empty",
                dead(
                        "insert into outbox (event_type, aggregate_type, aggregate_id, payload) values ('', 'order', '42', '{}')"),
                0,
                "The row cannot be read: An event needs its type; it is empty.");
        input(
                "type that is blank",
                dead(
                        "insert into outbox (event_type, aggregate_type, aggregate_id, payload) values ('  ', 'order', '42', '{}')"),
                0,
                "The row cannot be read: An event needs its type; it is empty.");
        input(
                "aggregate type that is empty",
                dead(
                        "insert into outbox (event_type, aggregate_type, aggregate_id, payload) values ('acme.order.paid.v1', '', '42', '{}')"),
                0,
                "The row cannot be read: An event needs its aggregateType; it is empty.");
        input(
                "aggregate id that is empty",
                dead(
                        "insert into outbox (event_type, aggregate_type, aggregate_id, payload) values ('acme.order.paid.v1', 'order', '', '{}')"),
                0,
                "The row cannot be read: An event needs its aggregateId; it is empty.");
        input(
                "retries below zero",
                dead(
                        "insert into outbox (event_type, aggregate_type, aggregate_id, payload, max_retries) values ('acme.order.paid.v1', 'order', '42', '{}', -1)"),
                0,
                "The row cannot be read: maxRetries is -1; it must be 0 or more.");
        input(
                "hash that does not fit",
                dead(
                        "insert into outbox (event_type, aggregate_type, aggregate_id, payload, content_hash) values ('acme.order.paid.v1', 'order', '42', '{}', 'sha256:00')"),
                0,
                "The row was changed after it was written: its content does not match its hash.");
    }
}
