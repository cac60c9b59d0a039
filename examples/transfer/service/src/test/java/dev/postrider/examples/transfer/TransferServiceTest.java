package dev.postrider.examples.transfer;

import static org.awaitility.Awaitility.await;

import dev.postrider.kafka.consume.ReceivedEvent;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The service as it is. All classes below this one share one application. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
abstract class TransferServiceTest {
    static final String NAME = "transfer";
    static final Topic TOPIC = Servers.topic(NAME);
    static final Duration PATIENCE = Duration.ofSeconds(120);

    static String url = "";

    @Autowired
    Bank bank;

    @Autowired
    JdbcClient jdbc;

    @DynamicPropertySource
    static void servers(DynamicPropertyRegistry registry) {
        url = Servers.database(NAME);
        Servers.register(registry, NAME, url);
        registry.add("postrider.kafka.properties.interceptor.classes", Sends.class::getName);
    }

    Account open(int balance) {
        return bank.open(new Account.Opening("Ada Lovelace", new BigDecimal(balance)));
    }

    /** Between two new accounts. */
    Transfer transfer() {
        return bank.transfer(new Transfer.Wanted(open(100).number(), open(0).number(), new BigDecimal("12.50")));
    }

    EventRow eventOf(Transfer transfer) {
        return EventRow.of(jdbc, transfer.id());
    }

    void awaitPublished(Transfer transfer) {
        await().atMost(PATIENCE).until(() -> eventOf(transfer).status().equals("PUBLISHED"));
    }

    static List<ReceivedEvent> awaitArrived(Object transfer, int events) {
        return await().atMost(PATIENCE).until(() -> TOPIC.of(transfer), arrived -> arrived.size() >= events);
    }

    /** As somebody writes them who does not tell the relay. */
    static void writeBySql(JdbcClient jdbc, String transfers, int events) {
        jdbc.sql("""
                insert into transfer_events (event_type, aggregate_type, aggregate_id, payload)
                select 'TransferCompleted', 'Transfer', ? || '-' || n, '{}' from generate_series(1, ?) as n
                """).params(transfers, events).update();
    }

    static int count(JdbcClient jdbc, String status, String transfers) {
        return jdbc.sql("select count(*) from transfer_outbox where status = ? and aggregate_id like ?")
                .params(status, transfers + "-%")
                .query(Integer.class)
                .single();
    }
}
