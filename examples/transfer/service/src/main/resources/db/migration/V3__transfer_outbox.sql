-- What our queries and dashboards ask. An event that waits behind another one, or for its topic, is PENDING to us.
create view transfer_outbox as
select id,
       event_id,
       aggregate_type,
       aggregate_id,
       event_type,
       payload,
       headers,
       case status when 'HELD' then 'PENDING' when 'BLOCKED' then 'PENDING' else status end as status,
       attempts        as attempt_count,
       next_attempt_at as next_retry_at,
       created_at,
       updated_at,
       published_at,
       last_error
from transfer_events;

-- What is still to be sent, and when. The same expression as in the view, or it would not be used.
create index transfer_events_to_send on transfer_events
    ((case status when 'HELD' then 'PENDING' when 'BLOCKED' then 'PENDING' else status end), next_attempt_at)
    where (case status when 'HELD' then 'PENDING' when 'BLOCKED' then 'PENDING' else status end) in ('PENDING', 'FAILED');
