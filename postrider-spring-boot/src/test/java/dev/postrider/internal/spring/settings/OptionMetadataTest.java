package dev.postrider.internal.spring.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.RelayOptions;
import dev.postrider.RelaySettings;
import dev.postrider.settings.Option;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** What editors are told about the options: Spring Boot's processor adds this file to what it finds in records. */
class OptionMetadataTest {
    private static final String NAME = "additional-spring-configuration-metadata.json";
    private static final Path FILE = Path.of("src", "main", "resources", "META-INF", NAME);
    private static final JsonMapper JSON = new JsonMapper();

    /** Where it is otherwise in an application. */
    private static final Map<Option<?>, String> OTHER_DESCRIPTIONS = Map.of(
            RelaySettings.NAME,
            "Name in logs and in status. If not set, it is made from the application's name, the process id and four random"
                    + " digits.");

    @Test
    void metadataListsEveryOptionWithItsDefault() throws IOException {
        String now = RelayOptions.all().stream()
                .map(OptionMetadataTest::property)
                .collect(Collectors.joining(",\n    ", "{\n  \"properties\": [\n    ", "\n  ]\n}\n"));
        Path target = Path.of("target", NAME);
        Files.createDirectories(target.getParent());
        Files.writeString(target, now);

        assertThat(FILE)
                .as("If the options are meant, copy postrider-spring-boot/target/" + NAME + " to " + FILE.getParent())
                .hasContent(now);
    }

    private static String property(Option<?> option) {
        List<String> fields = new ArrayList<>(List.of(
                field("name", text(PropertyNames.of(option))),
                field("type", text(type(option))),
                field(
                        "description",
                        text(PropertyNames.in(OTHER_DESCRIPTIONS.getOrDefault(option, option.description()))))));
        if (!option.defaultText().isEmpty()) {
            fields.add(field("defaultValue", isLiteral(option) ? option.defaultText() : text(option.defaultText())));
        }
        return fields.stream().collect(Collectors.joining(",\n      ", "{\n      ", "\n    }"));
    }

    private static String field(String name, String value) {
        return text(name) + ": " + value;
    }

    private static String text(String value) {
        return JSON.writeValueAsString(value);
    }

    /** Of what editors do not know, or what may be something else too, such as off, the text. */
    private static String type(Option<?> option) {
        Class<?> type = option.format().type();
        boolean known = type.isEnum() || type.getName().startsWith("java.");
        boolean onlyThat =
                !Number.class.isAssignableFrom(type) || option.format().label().equals("<number>");
        return (known && onlyThat ? type : String.class).getName();
    }

    private static boolean isLiteral(Option<?> option) {
        String type = type(option);
        return List.of("java.lang.Boolean", "java.lang.Integer", "java.lang.Long", "java.lang.Double")
                .contains(type);
    }
}
