package dev.postrider.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.EventMapping;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.devservices.DevKafka;
import dev.postrider.spring.MappedEvent;
import dev.postrider.spring.TestDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The code and the properties that the page about Spring shows: compiled here, and run against a real broker. */
class SpringPageTest {
    private static final Path PAGE = Path.of("..", "docs", "spring.md");
    private static final Pattern SNIPPET = Pattern.compile("// snippet: \\w+\n(.*?)\n *// end", Pattern.DOTALL);
    private static final Pattern PROPERTIES = Pattern.compile("```properties\n(.*?)```", Pattern.DOTALL);

    // snippet: event
    @MappedEvent(type = "shop.order.placed", aggregateType = "order", aggregateId = "orderId")
    record OrderPlaced(String orderId, long cents) {}
    // end

    // snippet: call
    @Service
    static class Orders {
        private final JdbcTemplate jdbc;
        private final Outbox outbox;

        Orders(JdbcTemplate jdbc, Outbox outbox) {
            this.jdbc = jdbc;
            this.outbox = outbox;
        }

        @Transactional
        public void place(String orderId, long cents) {
            jdbc.update("insert into orders (id, cents) values (?, ?)", orderId, cents);
            outbox.write(new OrderPlaced(orderId, cents));
        }
    }
    // end

    /** A domain event that knows nothing of Postrider. */
    record OrderShipped(String order, String customer) {}

    static class Mappings {
        // snippet: mapping
        @Bean
        EventMapping<OrderShipped> orderShipped(JsonMapper json) {
            return EventMapping.json(
                    json,
                    event -> OutboxEvent.builder("shop.order.shipped")
                            .aggregate("order", event.order())
                            .header("customer", event.customer()));
        }
        // end
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
                "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration"
            })
    @Import({Orders.class, Mappings.class})
    static class Shop {}

    @Test
    void pageShowsTheCodeOfThisTest() throws IOException {
        String source = Files.readString(Path.of("src", "test", "java")
                .resolve(SpringPageTest.class.getName().replace('.', '/') + ".java"));
        List<String> snippets = new ArrayList<>();
        SNIPPET.matcher(source)
                .results()
                .forEach(found ->
                        snippets.add(found.group(1).stripIndent().lines().collect(Collectors.joining("\n"))));

        assertThat(snippets).hasSize(3);
        assertThat(Files.readString(PAGE)).contains(snippets);
    }

    /** The table is made of what tools are told about the properties. */
    @Test
    void pageListsEveryPropertyWithItsDefaultAndMeaning() throws IOException {
        List<String> rows = new ArrayList<>();
        try (InputStream metadata = getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            for (JsonNode property : new JsonMapper().readTree(metadata).get("properties")) {
                String name = property.get("name").asString();
                if (!name.startsWith("postrider.")) {
                    // Actuator's own, which every endpoint has.
                    continue;
                }
                String standard = property.path("defaultValue").asString("");
                rows.add("| `" + name + (property.get("type").asString().contains("Map<") ? ".*" : "") + "` | "
                        + (standard.isEmpty() ? "" : "`" + standard + "`") + " | "
                        + property.get("description").asString() + " |");
            }
        }
        rows.sort(null);
        Files.write(Path.of("target", "spring-properties.md"), rows);

        assertThat(Files.readAllLines(PAGE).stream()
                        .filter(line -> line.startsWith("| `postrider.")
                                && line.endsWith(". |")
                                && !line.startsWith("| `postrider.relay.destination=")))
                .as(
                        "If the properties are meant, replace the table of docs/spring.md by postrider-spring-boot/target/spring-properties.md.")
                .isEqualTo(rows);
    }

    @Test
    void whatThePageShowsBringsAnEventToAConsumer() throws IOException {
        String[] shown = firstProperties();
        assertThat(shown).hasSize(3);
        String servers = DevKafka.shared().bootstrapServers();
        try (ConfigurableApplicationContext shop = new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .properties(TestDatabase.properties(TestDatabase.create()))
                .properties("spring.kafka.bootstrap-servers=" + servers)
                .properties(shown)
                .run()) {
            shop.getBean(JdbcTemplate.class).execute("create table orders (id varchar(40) primary key, cents bigint)");

            shop.getBean(Orders.class).place("o-1", 4200);

            ConsumerRecord<String, String> received = receive(servers);
            assertThat(received.value()).isEqualTo("{\"orderId\":\"o-1\",\"cents\":4200}");
            assertThat(header(received, "ce_type")).isEqualTo("shop.order.placed");
            assertThat(header(received, "ce_source")).isEqualTo("shop");
        }
    }

    private static String[] firstProperties() throws IOException {
        return PROPERTIES
                .matcher(Files.readString(PAGE))
                .results()
                .findFirst()
                .orElseThrow()
                .group(1)
                .lines()
                .toArray(String[]::new);
    }

    private static ConsumerRecord<String, String> receive(String servers) {
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", servers, "group.id", "page", "auto.offset.reset", "earliest"),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.subscribe(List.of("order-events"));
            for (int polls = 0; polls < 60; polls++) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
                    return record;
                }
            }
        }
        throw new AssertionError("Nothing has arrived.");
    }

    private static String header(ConsumerRecord<?, ?> received, String name) {
        return new String(received.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }
}
