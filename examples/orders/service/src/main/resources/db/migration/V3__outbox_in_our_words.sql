-- What our queries and dashboards ask: an event is NEW, SENT, or FAILED and waits for an operator.
create view order_outbox as
select event_id     as id,
       event_type,
       aggregate_type,
       aggregate_id,
       payload,
       case status when 'PUBLISHED' then 'SENT' when 'DEAD_LETTER' then 'FAILED' else 'NEW' end as status,
       created_at,
       published_at as sent_at,
       attempts     as retry_count,
       last_error   as error_message
from outbox;

-- For "status = ? order by created_at" on that view: the same expression, or it would not be used.
create index outbox_in_our_words on outbox
    ((case status when 'PUBLISHED' then 'SENT' when 'DEAD_LETTER' then 'FAILED' else 'NEW' end), created_at);

-- A consumer may rely on "eventId" being the id, whoever writes the row and however.
alter table outbox add constraint outbox_event_id_in_payload
    check (payload ->> 'eventId' is null or payload ->> 'eventId' = event_id::text);
