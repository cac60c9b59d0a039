package dev.postrider.cli.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.OutboxTable;
import dev.postrider.RelaySettings;
import dev.postrider.cli.Session;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.settings.Option;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several outboxes in one file. */
class OutboxSettingsTest {
    private static final String TWO = """
            db: {url: 'jdbc:postgresql://127.0.0.1:1/app', user: app, password: general}
            relay: {name: one, batch-size: 100, destination: log}
            outboxes:
              orders: {table: sales.orders, relay: {batch-size: 7}}
              eu-billing: {table: billing, db: {password-file: secret}}
            """;

    @TempDir
    Path directory;

    @Test
    void whatIsSetForOneOutboxBeatsWhatIsSetForAll() throws IOException {
        Map<String, Settings> named = read(
                        TWO,
                        Map.of("POSTRIDER_DB_USER", "all", "POSTRIDER_OUTBOXES_EU_BILLING_DB_USER", "billing"),
                        Map.of(option("relay.batch-size"), "50"))
                .named();

        assertThat(named.keySet()).containsExactly("orders", "eu-billing");
        Settings orders = named.get("orders");
        Settings billing = named.get("eu-billing");
        assertThat(orders.get(KnownSettings.OUTBOX_TABLE)).isEqualTo(OutboxTable.parse("sales.orders"));
        assertThat(billing.get(KnownSettings.OUTBOX_TABLE)).isEqualTo(OutboxTable.parse("billing"));
        assertThat(RelaySettings.of(orders).batch().size()).isEqualTo(7);
        assertThat(RelaySettings.of(billing).batch().size()).isEqualTo(50);
        assertThat(orders.get(KnownSettings.DB_USER)).isEqualTo("all");
        assertThat(billing.get(KnownSettings.DB_USER)).isEqualTo("billing");
        assertThat(orders.strongest(KnownSettings.DB_PASSWORD, KnownSettings.DB_PASSWORD_FILE))
                .contains(KnownSettings.DB_PASSWORD);
        assertThat(billing.strongest(KnownSettings.DB_PASSWORD, KnownSettings.DB_PASSWORD_FILE))
                .contains(KnownSettings.DB_PASSWORD_FILE);
    }

    /** In logs, in status and in files. */
    @Test
    void relaysOfSeveralOutboxesAreNotTakenForEachOther() throws IOException {
        Map<String, Settings> named = read(TWO, Map.of(), Map.of()).named();

        RelaySettings orders = RelaySettings.of(named.get("orders"));
        RelaySettings billing = RelaySettings.of(named.get("eu-billing"));
        assertThat(orders.name()).isEqualTo("orders-one");
        assertThat(billing.name()).isEqualTo("eu-billing-one");
        assertThat(orders.deadLetters().file()).isEqualTo(Path.of("postrider-dead-letters-orders.jsonl"));
        assertThat(billing.deadLetters().file()).isEqualTo(Path.of("postrider-dead-letters-eu-billing.jsonl"));
    }

    @Test
    void commandsForOneOutboxAskWhichUnlessThereIsOnlyOne() {
        Session session = new Session(directory).file("postrider.yml", TWO);
        assertThat(session.run("status")).isEqualTo(2);
        assertThat(session.err()).contains("There are the outboxes orders, eu-billing: choose one with --outbox.");
        assertThat(session.run("status", "--outbox", "order")).isEqualTo(2);
        assertThat(session.err()).contains("--outbox is [order], but there are orders, eu-billing.");
        assertThat(session.run("status", "--outbox", "orders"))
                .as("gets as far as the database")
                .isEqualTo(1);

        session.file("postrider.yml", TWO.substring(0, TWO.indexOf("  eu-billing")));
        assertThat(session.run("status")).isEqualTo(1);

        session.file("postrider.yml", "table: a");
        assertThat(session.run("status", "--outbox", "orders")).isEqualTo(2);
        assertThat(session.err()).contains("the configuration file has no outboxes");
    }

    @Test
    void mistakesAreToldWithTheirPath() {
        assertRefused("outboxes: [a]", "outboxes must consist of names");
        assertRefused("outboxes: {}", "outboxes names none");
        assertRefused("outboxes: {Orders: {table: a}}", "[Orders] is no name of an outbox");
        assertRefused("outboxes: {orders: }", "outboxes.orders needs settings of its own");
        assertRefused(
                "outboxes: {orders: {relay: {batch-sise: 1}}}",
                "outboxes.orders.relay.batch-sise in postrider.yml; did you mean relay.batch-size?");
        assertRefused("outboxes: {orders: {table: 'Out Box'}}", "outboxes.orders.table in postrider.yml is [Out Box]");
        assertRefused(
                "outboxes: {orders: {http: {listen: 9464}}}",
                "outboxes.orders.http.listen in postrider.yml is for the whole process");
        assertRefused(
                "outboxes: {orders: {db: {user: '${DB_USER}'}}}",
                "Set POSTRIDER_OUTBOXES_ORDERS_DB_USER in the environment");
        assertRefused(
                "outboxes: {a: {table: t}, b: {table: t}}",
                "outboxes.a and outboxes.b are the same: both have the table t");
        assertRefused("outboxs: {a: {table: t}}", "did you mean outboxes?");

        assertThatThrownBy(() -> read(TWO, Map.of("POSTRIDER_OUTBOXES_ORDER_DB_USER", "x"), Map.of()))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("did you mean POSTRIDER_OUTBOXES_ORDERS_DB_USER?");
        assertThatThrownBy(() -> read("table: a", Map.of("POSTRIDER_OUTBOXES_ORDERS_DB_USER", "x"), Map.of()))
                .hasMessageContaining("POSTRIDER_OUTBOXES_ORDERS_DB_USER: the configuration file has no outboxes");
    }

    private void assertRefused(String text, String message) {
        assertThatThrownBy(() -> read(text, Map.of(), Map.of()))
                .isInstanceOf(RuntimeException.class)
                .hasMessageContaining(message);
    }

    private OutboxSettings read(String text, Map<String, String> environment, Map<Option<?>, String> flags)
            throws IOException {
        Files.writeString(directory.resolve("postrider.yml"), text);
        return SettingsReader.read(directory, null, environment, flags);
    }

    private static Option<?> option(String key) {
        return KnownSettings.byKey(key).orElseThrow();
    }
}
