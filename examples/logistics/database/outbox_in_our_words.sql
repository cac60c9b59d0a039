-- What our queries and dashboards ask: an event is PENDING, PUBLISHED, or FAILED and waits for a person. One that is being
-- sent or waits for its retry is PENDING.
create view order_event_status as
select event_id as message_id,
       event_type,
       aggregate_type,
       aggregate_id,
       payload,
       case status when 'PUBLISHED' then 'PUBLISHED' when 'DEAD_LETTER' then 'FAILED' else 'PENDING' end as status,
       attempts as retry_count,
       created_at,
       published_at,
       case status when 'FAILED' then next_attempt_at end as next_retry_at,
       case status when 'DEAD_LETTER' then updated_at end as failed_at,
       last_error
from outbox_events;
