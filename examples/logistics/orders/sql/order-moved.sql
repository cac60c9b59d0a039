-- A writer may bring its own id, and say in full what would be the default.
insert into outbox_events (event_id, event_type, aggregate_type, aggregate_id, payload, status, next_attempt_at)
values ($1, $2, 'order', $3, $4, 'PENDING', now())
