package dev.postrider.examples.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whoever follows {@code docs/tutorial.md} writes files of the example {@code transfer}, to the letter. */
class TutorialTest {
    private static final Path EXAMPLES = Path.of("").toAbsolutePath().getParent();
    private static final Path TRANSFER = EXAMPLES.resolve("transfer");
    private static final Path PAGE = EXAMPLES.resolveSibling("docs").resolve("tutorial.md");
    private static final Pattern BLOCK =
            Pattern.compile("^```(java|yaml|sql|xml)\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern DEPENDENCY = Pattern.compile("<dependency>(.*?)</dependency>", Pattern.DOTALL);
    private static final Pattern VERSION = Pattern.compile("<version>.*?</version>");

    @Test
    void everyBlockIsInAFileOfTheExample() throws IOException {
        List<String> sources = sources();
        List<String> blocks = BLOCK.matcher(Files.readString(PAGE))
                .results()
                .map(found -> found.group(2))
                .toList();

        assertThat(blocks).hasSizeGreaterThan(10);
        assertThat(blocks)
                .describedAs("blocks of the tutorial that are in no file of the example")
                .filteredOn(block -> sources.stream().noneMatch(source -> ("\n" + source).contains("\n" + block)))
                .isEmpty();
    }

    /** The modules get their versions from this build; whoever follows the tutorial gets them from Spring Boot's parent. */
    @ParameterizedTest
    @CsvSource({"bank, service", "fraud, fraud"})
    void dependenciesAreThoseOfTheModule(String folder, String module) throws IOException {
        assertThat(dependencies(TRANSFER.resolve("tutorial").resolve(folder).resolve("pom.xml")))
                .isEqualTo(dependencies(TRANSFER.resolve(module).resolve("pom.xml")));
    }

    @ParameterizedTest
    @CsvSource({"bank", "fraud"})
    void versionsAreThoseOfTheBuild(String folder) throws IOException {
        String build = Files.readString(EXAMPLES.resolveSibling("pom.xml"));
        String pom =
                Files.readString(TRANSFER.resolve("tutorial").resolve(folder).resolve("pom.xml"));

        assertThat(pom)
                .contains("<version>" + property(build, "spring-boot.version") + "</version>")
                .contains("<version>" + versionOf(build) + "</version>");
    }

    private static String property(String pom, String name) {
        return pom.replaceAll("(?s).*<" + name + ">(.*?)</" + name + ">.*", "$1");
    }

    private static String versionOf(String build) {
        return build.replaceAll("(?s).*?<artifactId>postrider-parent</artifactId>\\s*<version>(.*?)</version>.*", "$1");
    }

    /** What the application needs, without the tests. */
    private static TreeSet<String> dependencies(Path pom) throws IOException {
        TreeSet<String> dependencies = new TreeSet<>();
        DEPENDENCY.matcher(Files.readString(pom)).results().forEach(found -> {
            if (!found.group().contains("<scope>test</scope>")) {
                dependencies.add(VERSION.matcher(found.group(1)).replaceAll("").replaceAll("\\s", ""));
            }
        });
        return dependencies;
    }

    private static List<String> sources() throws IOException {
        List<String> sources = new ArrayList<>();
        for (String folder : List.of("service/src/main", "fraud/src/main", "tutorial")) {
            try (Stream<Path> files = Files.walk(TRANSFER.resolve(folder))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    sources.add(Files.readString(file));
                }
            }
        }
        return sources;
    }
}
