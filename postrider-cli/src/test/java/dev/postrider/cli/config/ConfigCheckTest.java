package dev.postrider.cli.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.Session;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ConfigCheckTest {
    @TempDir
    Path directory;

    private Session session;

    @BeforeEach
    void begin() {
        session = new Session(directory);
    }

    @Test
    void everyValueIsShownWithThePlaceThatWins() {
        session.file("postrider.yml", """
                        db: {url: 'jdbc:postgresql://127.0.0.1:1/app', user: app}
                        kafka: {bootstrap-servers: 'a:9092', routes: {product.viewed: views}}
                        relay: {destination: log, batch-size: 100, poll-interval: 2s}
                        """).variable("POSTRIDER_RELAY_BATCH_SIZE", "200");

        assertThat(session.run("config", "check", "--poll-interval", "3s"))
                .as(session.err())
                .isZero();
        assertThat(session.err()).isEmpty();
        assertThat(session.out())
                .containsPattern("SETTING +VALUE +FROM")
                .containsPattern("db.user +app +postrider.yml")
                .containsPattern("kafka.routes +product.viewed=views +postrider.yml")
                .containsPattern("relay.batch-size +200 +POSTRIDER_RELAY_BATCH_SIZE")
                .containsPattern("relay.poll-interval +3s +--poll-interval")
                .contains("A relay can be started with these settings.")
                .doesNotContain("relay.lease-length");

        assertThat(session.run("config", "check", "--all")).isZero();
        assertThat(session.out()).containsPattern("relay.lease-length +3s +default");
    }

    @Test
    void secretsAreNotShown() {
        session.file("postrider.yml", """
                        db: {url: 'jdbc:postgresql://127.0.0.1:1/app?password=s3cret', user: app, password: s3cret}
                        relay: {destination: webhook}
                        webhook:
                          url: https://shop.example/s3cret
                          headers: {Authorization: s3cret, X-Shop: s3cret}
                        alerts: {slack-url: 'https://hooks.slack.example/s3cret'}
                        kafka: {bootstrap-servers: 'a:1', properties: {sasl.jaas.config: s3cret}}
                        """);
        for (String[] command :
                new String[][] {{"config", "check"}, {"config", "check", "--all"}, {"config", "check", "--json"}}) {
            assertThat(session.run(command)).as(session.err()).isZero();
            assertThat(session.out() + session.err())
                    .contains("db.password", "Authorization=(secret),X-Shop=(secret)", "sasl.jaas.config=(secret)")
                    .doesNotContain("s3cret");
        }
    }

    @Test
    void whatARelayWouldRefuseIsTheExitStatusBesideWhatIsSet() {
        session.file("postrider.yml", "relay: {retry: {cap: 1s}}");
        assertThat(session.run("config", "check", "--db-url", "jdbc:postgresql://127.0.0.1:1/app"))
                .isEqualTo(2);
        assertThat(session.out()).contains("relay.retry.cap").doesNotContain("can be started");
        assertThat(session.errLines()).hasSize(1);
        assertThat(session.err()).startsWith("postrider: ").contains("retry.cap");

        session.file("postrider.yml", "");
        assertThat(session.run("config", "check")).isEqualTo(2);
        assertThat(session.out()).contains("Nothing is set.");
        assertThat(session.err()).contains("kafka.bootstrap-servers is needed");
    }

    @Test
    void destinationIsCheckedToo() {
        session.file("postrider.yml", "kafka: {bootstrap-servers: '127.0.0.1:1', properties: {lingr.ms: 5}}");
        assertThat(session.run("config", "check", "--db-url", "jdbc:postgresql://127.0.0.1:1/app"))
                .isEqualTo(2);
        assertThat(session.err()).contains("lingr.ms", "did you mean linger.ms?");
    }

    @Test
    void whatCannotBeReadIsRefusedAsEverywhere() {
        session.file("postrider.yml", "relay: {batch-sise: 100}");
        assertThat(session.run("config", "check")).isEqualTo(2);
        assertThat(session.out()).isEmpty();
        assertThat(session.errLines()).hasSize(1);
        assertThat(session.err()).contains("did you mean relay.batch-size?");
    }

    @Test
    void eachOfSeveralOutboxesIsShownAndChecked() {
        session.file("postrider.yml", """
                        db: {url: 'jdbc:postgresql://127.0.0.1:1/app'}
                        relay: {name: one, destination: log}
                        outboxes:
                          orders: {table: orders, relay: {batch-size: 7}}
                          billing: {table: billing, relay: {retry: {cap: 1s}}}
                        """);
        assertThat(session.run("config", "check")).isEqualTo(2);
        assertThat(session.out())
                .contains("Outbox orders", "Outbox billing")
                .containsPattern("relay.batch-size +7 +outboxes.orders.relay.batch-size in postrider.yml")
                .containsPattern("relay.name +orders-one +the outbox's name");
        assertThat(session.errLines()).hasSize(1);
        assertThat(session.err()).contains("Outbox billing: ", "retry.cap");

        assertThat(session.run("config", "check", "--outbox", "orders", "--json"))
                .isZero();
        JsonNode json = JsonMapper.shared().readTree(session.out());
        assertThat(json.path("valid").asBoolean()).isTrue();
        JsonNode orders = json.path("outboxes").path("orders");
        assertThat(orders.path("relay.batch-size").path("value").asString()).isEqualTo("7");
        assertThat(orders.path("relay.lease-length").path("from").asString()).isEqualTo("default");
        assertThat(orders.path("db.user").path("value").isNull()).isTrue();
    }
}
