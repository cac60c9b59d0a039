package dev.postrider.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The properties on the page about Spring. Its code is the application's of {@code postrider-user-tests}. */
class SpringPageTest {
    private static final Path PAGE = Path.of("..", "docs", "spring.md");

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
}
