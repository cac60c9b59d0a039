package dev.postrider.spring.inbox;

import dev.postrider.OutboxEvent;
import dev.postrider.kafka.consume.ReceivedEvent;
import dev.postrider.spring.HandleOnce;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Counts, once for each event or action. */
class Statistics {
    private final JdbcTemplate jdbc;

    Statistics(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    record Viewed(String product, String eventId) {}

    private void count(String what) {
        jdbc.update("insert into counted (what) values (?)", what);
    }

    @HandleOnce
    public void inTheCallersTransaction(ReceivedEvent event) {
        count("event");
    }

    @Transactional
    @HandleOnce
    public @Nullable String inItsOwn(OutboxEvent event, boolean fails) {
        count("own");
        if (fails) {
            throw new IllegalStateException("on purpose");
        }
        return "done";
    }

    @Transactional
    @HandleOnce(consumer = "statistics", eventId = "#id")
    public void byExpression(String id) {
        count("expression");
    }

    @Transactional
    @HandleOnce(consumer = "sales", action = "SALES_COUNT_INCREASED")
    public void sold(ReceivedEvent event) {
        count("sold");
    }

    @Transactional
    @HandleOnce(
            aggregateType = "ProductView",
            aggregateId = "#viewed.product() + '_' + #viewed.eventId()",
            action = "VIEW_COUNT_INCREASED")
    public void viewed(Viewed viewed) {
        count("viewed");
    }

    @Transactional
    @HandleOnce(consumer = "batches")
    public void batch(List<ReceivedEvent> events) {
        events.forEach(event -> count("batch " + event.id()));
    }
}
