package dev.postrider.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.shop.ShopApplication;
import dev.postrider.EventMapping;
import dev.postrider.OutboxEvent;
import dev.postrider.devservices.DevKafka;
import dev.postrider.spring.TestDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The code, the table and the properties that the page about Spring shows: compiled here, and run against a real broker. */
class SpringPageTest {
    private static final Path PAGE = Path.of("..", "docs", "spring.md");
    private static final Pattern SNIPPET = Pattern.compile("// snippet: \\w+\n(.*?)\n *// end", Pattern.DOTALL);

    @TempDir
    Path directory;

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

    @Test
    void pageShowsTheCodeOfThisTest() throws IOException {
        String source = Files.readString(Path.of("src", "test", "java")
                .resolve(SpringPageTest.class.getName().replace('.', '/') + ".java"));
        List<String> snippets = new ArrayList<>();
        SNIPPET.matcher(source)
                .results()
                .forEach(found ->
                        snippets.add(found.group(1).stripIndent().lines().collect(Collectors.joining("\n"))));

        for (String file : List.of("Orders", "OrderPlaced", "ShopApplication")) {
            snippets.add(Files.readString(Path.of("src", "test", "java", "com", "example", "shop", file + ".java")));
        }

        assertThat(snippets).hasSize(4);
        assertThat(Files.readString(PAGE)).contains(snippets);
    }

    /** The table is made of what tools are told about the properties. */
    @Test
    void pageListsEveryPropertyWithItsDefaultAndMeaning() throws IOException {
        List<String> rows = new ArrayList<>();
        try (InputStream metadata = getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            for (JsonNode property : new JsonMapper().readTree(metadata).get("properties")) {
                String name = property.get("name").asString();
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
        List<String[]> shown = properties();
        assertThat(shown.get(0)).hasSize(3);
        String servers = DevKafka.shared().bootstrapServers();
        Files.writeString(directory.resolve("schema.sql"), group("sql").get(0));
        // What comes last counts: the servers of this test are elsewhere.
        Map<String, Object> properties = new HashMap<>();
        Stream.of(shown.get(0), shown.get(1), TestDatabase.properties(TestDatabase.create()), new String[] {
                    "spring.kafka.bootstrap-servers=" + servers,
                    "spring.sql.init.schema-locations="
                            + directory.resolve("schema.sql").toUri(),
                    "spring.autoconfigure.exclude="
                            + "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
                            + "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration"
                })
                .flatMap(Arrays::stream)
                .map(line -> line.split("=", 2))
                .forEach(line -> properties.put(line[0], line[1]));
        try (ConfigurableApplicationContext shop = new SpringApplicationBuilder(ShopApplication.class)
                .web(WebApplicationType.NONE)
                .properties(properties)
                .run()) {
            String order = shop.getBean(JdbcTemplate.class).queryForObject("select id from orders", String.class);

            ConsumerRecord<String, String> received = receive(servers);
            assertThat(received.key()).isEqualTo(order);
            assertThat(received.value()).isEqualTo("{\"orderId\":\"" + order + "\",\"cents\":4200}");
            assertThat(header(received, "ce_type")).isEqualTo("shop.order.placed");
            assertThat(header(received, "ce_source")).isEqualTo("shop");
        }
    }

    private static List<String[]> properties() throws IOException {
        return group("properties").stream()
                .map(block -> block.lines().toArray(String[]::new))
                .toList();
    }

    /** The page's blocks in a language, in its order. */
    private static List<String> group(String language) throws IOException {
        return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(PAGE))
                .results()
                .map(found -> found.group(1))
                .toList();
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
