package dev.postrider.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page of guarantees names tests: they exist, and so do the pages that documents link to. */
class GuaranteesPageTest {
    private static final Path ROOT = Files.exists(Path.of("README.md")) ? Path.of("") : Path.of("..");

    @Test
    void everyTestNamedOnThePageExists() throws IOException {
        Map<String, String> sources;
        try (Stream<Path> files = Files.walk(ROOT)) {
            sources = files.filter(file -> file.toString().endsWith("Test.java"))
                    .filter(file -> !file.toString().contains("target"))
                    .collect(Collectors.toMap(
                            file -> file.getFileName().toString().replace(".java", ""),
                            GuaranteesPageTest::read,
                            // Examples have tests of the same names.
                            String::concat));
        }
        String page = read(ROOT.resolve("docs/guarantees.md"));
        String current = "";
        List<String> missing = new ArrayList<>();
        for (String name : all(page, "`([A-Za-z]+(?:Test)?(?:\\.[a-z][A-Za-z]+)?)`", match -> match.group(1))) {
            String method = name;
            if (name.matches("[A-Z].*Test(\\..*)?")) {
                current = name.replaceAll("\\..*", "");
                method = name.contains(".") ? name.substring(name.indexOf('.') + 1) : "";
            } else if (!name.matches("[a-z]+[A-Z][A-Za-z]{15,}")) {
                continue;
            }
            String source = sources.getOrDefault(current, "");
            if (source.isEmpty() || !method.isEmpty() && !source.contains("void " + method + "(")) {
                missing.add(current + "." + method);
            }
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void everyPageLinkedToExists() throws IOException {
        List<String> broken = new ArrayList<>();
        try (Stream<Path> files = Stream.concat(Files.list(ROOT), Files.walk(ROOT.resolve("docs")))
                .filter(GuaranteesPageTest::isPage)) {
            for (Path page : files.toList()) {
                for (String link : all(read(page), "\\]\\(([^)#:]+)(#[^)]*)?\\)", match -> match.group(1))) {
                    Path parent = page.getParent() == null ? Path.of("") : page.getParent();
                    if (!Files.exists(parent.resolve(link))) {
                        broken.add(page + " -> " + link);
                    }
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    private static boolean isPage(Path file) {
        return file.toString().endsWith(".md");
    }

    private static List<String> all(String text, String pattern, Function<MatchResult, String> part) {
        return Pattern.compile(pattern).matcher(text).results().map(part).toList();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
