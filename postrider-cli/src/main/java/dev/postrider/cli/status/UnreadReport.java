package dev.postrider.cli.status;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxStatus;
import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.check.Amounts;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Rows that no relay sends by itself, in the words of {@code status} and {@code doctor}. */
public final class UnreadReport {
    /** As many ids stand in one statement. */
    private static final int IDS = 100;

    private static final String ENVELOPE =
            "event_id, event_type, aggregate_type, aggregate_id, event_key, source, payload,"
                    + " payload_binary, content_type, headers, request_id, content_hash, occurred_at, max_retries,"
                    + " next_attempt_at";

    private UnreadReport() {}

    /**
     * @param finding what is the matter
     * @param fix a statement that makes relays send the rows
     */
    public record Sentence(String finding, String fix) {}

    /** One for each kind of rows; empty if every row is read. */
    public static List<Sentence> of(OutboxTable table, OutboxLayout layout, OutboxStatus.Unread unread) {
        List<Sentence> sentences = new ArrayList<>();
        if (unread.unexpectedStatus() > 0) {
            sentences.add(strange(table, layout.mode(), unread.unexpectedStatus()));
        }
        if (!unread.passedIds().isEmpty()) {
            sentences.add(passed(table, unread.passedIds()));
        }
        return sentences;
    }

    private static Sentence strange(OutboxTable table, OutboxMode mode, long rows) {
        boolean one = rows == 1;
        return new Sentence(
                rows(rows) + (one ? " has" : " have") + " a status that relays in " + mode.label()
                        + " mode do not look at: " + (one ? "it is" : "they are") + " never sent.",
                mode == OutboxMode.LOG
                        ? again(table, "status not in ('LOG', 'PUBLISHED', 'DEAD_LETTER')")
                        : "update " + table + " set status = 'PENDING' where status not in ('PUBLISHED', 'PENDING',"
                                + " 'SENDING', 'FAILED', 'HELD', 'BLOCKED', 'DEAD_LETTER') and not exists (select 1 from "
                                + table + "_settings where name = 'later_delivered_until')");
    }

    private static Sentence passed(OutboxTable table, List<Long> ids) {
        boolean one = ids.size() == 1;
        return new Sentence(
                rows(ids.size()) + (one ? " has an id" : " have ids") + " that had been passed when "
                        + (one ? "it was" : "they were")
                        + " written: relays do not look there any more, so " + (one ? "it was" : "they were")
                        + " probably not sent.",
                again(
                        table,
                        "id in ("
                                + ids.stream().limit(IDS).map(String::valueOf).collect(Collectors.joining(", "))
                                + ")"));
    }

    private static String rows(long rows) {
        return (rows >= OutboxStatus.Unread.CAP ? "At least " : "") + Amounts.count(rows, "row");
    }

    /** Each gets a new row at the end of the log. */
    private static String again(OutboxTable table, String which) {
        return "with unread as (delete from " + table.sql() + " where " + which + " returning *) insert into "
                + table.sql() + " (" + ENVELOPE + ") select " + ENVELOPE
                + " from unread order by id;  -- and columns of your own";
    }
}
