package dev.postrider.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.examples.Requirement;
import dev.postrider.kafka.consume.ReceivedEvent;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class MakingTransfersTest extends TransferServiceTest {
    private final HttpClient http = HttpClient.newHttpClient();

    @Autowired
    TransactionTemplate transaction;

    @Autowired
    JsonMapper json;

    @Value("${local.server.port}")
    int port;

    @Test
    @Requirement("T1")
    void moneyMovesAndTheWorldIsTold() throws Exception {
        Account from = open(100);
        Account to = open(0);

        HttpResponse<String> response =
                post("/transfers", Map.of("from", from.number(), "to", to.number(), "amount", "12.50"));

        assertThat(response.statusCode()).isEqualTo(201);
        Transfer transfer = json.readValue(response.body(), Transfer.class);
        assertThat(bank.account(from.number()).balance()).isEqualByComparingTo("87.50");
        assertThat(bank.account(to.number()).balance()).isEqualByComparingTo("12.50");
        ReceivedEvent event = awaitArrived(transfer.id(), 1).get(0);
        assertThat(event.type()).isEqualTo("TransferCompleted");
        assertThat(event.aggregateType()).isEqualTo("Transfer");
        assertThat(json.readValue(event.payload().text(), TransferCompleted.class))
                .isEqualTo(TransferCompleted.of(transfer));
        awaitPublished(transfer);
        assertThat(jdbc.sql("""
                        select e.tx_id::text = t.xmin::text from transfer t
                        join transfer_events e on e.aggregate_id = t.id::text where t.id = ?
                        """).param(transfer.id()).query(Boolean.class).single())
                .describedAs("written by one transaction")
                .isTrue();
    }

    @Test
    @Requirement("T1")
    void transferThatCannotBeToldDoesNotHappen() {
        Account from = open(100);
        Account to = open(0);
        jdbc.sql("alter table transfer_events add constraint nothing_new check (id < 0) not valid")
                .update();
        try {
            assertThatThrownBy(() -> bank.transfer(new Transfer.Wanted(from.number(), to.number(), from.balance())))
                    .hasStackTraceContaining("nothing_new");
        } finally {
            jdbc.sql("alter table transfer_events drop constraint nothing_new").update();
        }

        assertThat(bank.account(from.number())).isEqualTo(from);
        assertThat(bank.account(to.number())).isEqualTo(to);
    }

    @Test
    @Requirement("T1")
    void transferThatIsRolledBackIsNotTold() {
        Account from = open(100);
        Account to = open(0);

        Transfer undone = transaction.execute(status -> {
            Transfer transfer = bank.transfer(new Transfer.Wanted(from.number(), to.number(), from.balance()));
            status.setRollbackOnly();
            return transfer;
        });

        assertThat(bank.account(from.number())).isEqualTo(from);
        assertThat(jdbc.sql("select count(*) from transfer_events where aggregate_id = ?")
                        .param(undone.id().toString())
                        .query(Long.class)
                        .single())
                .isZero();
    }

    @Test
    @Requirement("T4")
    void eventGoesFromPendingOverSendingToPublished() {
        Transfer transfer = transfer();
        awaitPublished(transfer);

        assertThat(new Journal(jdbc).of(transfer.id()))
                .extracting(step -> step.was() + " " + step.status())
                .containsExactly("PENDING SENDING", "SENDING PUBLISHED");
    }

    @Test
    void whatIsWrongWithARequestIsAProblemDetail() throws Exception {
        Account poor = open(1);
        Account other = open(0);

        HttpResponse<String> invalid = post("/transfers", Map.of("from", 0, "to", other.number(), "amount", "1.001"));
        assertThat(invalid.statusCode()).isEqualTo(400);
        assertThat(invalid.headers().firstValue("content-type")).contains("application/problem+json");
        JsonNode problem = json.readTree(invalid.body());
        assertThat(problem.get("detail").asString()).isEqualTo("The request is not valid.");
        assertThat(problem.get("fields").propertyNames()).containsExactlyInAnyOrder("from", "amount");

        HttpResponse<String> tooMuch =
                post("/transfers", Map.of("from", poor.number(), "to", other.number(), "amount", 2));
        assertThat(tooMuch.statusCode()).isEqualTo(409);
        assertThat(tooMuch.headers().firstValue("content-type")).contains("application/problem+json");
        assertThat(json.readTree(tooMuch.body()).get("detail").asString()).contains("not enough money");
        assertThat(bank.account(poor.number())).isEqualTo(poor);

        assertThat(post("/transfers", Map.of("from", poor.number(), "to", poor.number(), "amount", 1))
                        .statusCode())
                .isEqualTo(422);
        assertThat(post("/transfers", Map.of("from", poor.number(), "to", 999_999, "amount", 1))
                        .statusCode())
                .isEqualTo(404);
        assertThat(post("/accounts", Map.of("owner", "", "balance", 1)).statusCode())
                .isEqualTo(400);
    }

    private HttpResponse<String> post(String path, Object body) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .header("content-type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(json.writeValueAsString(body)))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
