package dev.postrider.examples.transfer.fraud;

import dev.postrider.kafka.consume.ReceivedEvent;
import dev.postrider.spring.PostriderListener;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.json.JsonMapper;

/** Gives each transfer a score, once: the risk log is also the memory of what was processed. */
@Component
public class FraudDetection {
    private static final Logger LOG = LoggerFactory.getLogger(FraudDetection.class);

    private final JdbcTemplate jdbc;
    private final JsonMapper json;

    public FraudDetection(JdbcTemplate jdbc, JsonMapper json) {
        this.jdbc = jdbc;
        this.json = json;
    }

    /** All that was read at once, in one transaction. */
    @PostriderListener("transfers")
    @Transactional
    public void assess(List<ReceivedEvent> events) {
        List<Object[]> rows = new ArrayList<>();
        for (ReceivedEvent event : events) {
            TransferCompleted transfer = json.readValue(event.payload().text(), TransferCompleted.class);
            rows.add(new Object[] {UUID.fromString(event.id()), transfer.transferId(), RiskScore.of(transfer)});
        }
        int[] added = jdbc.batchUpdate(
                "insert into risk_log (event_id, transfer_id, score) values (?, ?, ?) on conflict (event_id) do nothing",
                rows);
        for (int i = 0; i < added.length; i++) {
            if (added[i] == 0) {
                LOG.info("Already processed: event {}", events.get(i).id());
            }
        }
    }
}
