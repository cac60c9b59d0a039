-- What our queries and dashboards ask: events that could not be sent. Those with retry_count >= 10 wait for a person.
create view outbox_failed as
select event_id as id,
       event_type,
       aggregate_type,
       aggregate_id,
       source,
       payload,
       headers,
       occurred_at,
       attempts - 1 as retry_count,
       first_failed_at as failed_at,
       next_attempt_at as next_retry_at,
       last_error
from outbox_parked
where state = 'FAILED'
union all
select event_id, event_type, aggregate_type, aggregate_id, source, payload, headers, occurred_at,
       attempts - 1, first_failed_at, null, reason
from outbox_dead_letter;
