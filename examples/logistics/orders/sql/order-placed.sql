-- Everything else has a default.
insert into outbox_events (event_type, aggregate_type, aggregate_id, payload)
values ('logistics.order.placed', 'order', $1, $2)
