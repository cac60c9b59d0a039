package dev.postrider.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Pieces of a test's source, each between {@code // snippet: name} and {@code // end}, which a page shows to the letter. */
final class Snippets {
    private static final Pattern SNIPPET = Pattern.compile("// snippet: \\w+\n(.*?)\n *// end", Pattern.DOTALL);

    private Snippets() {}

    static void assertThatPageShowsAll(String page, Class<?> test) throws IOException {
        String source = Files.readString(
                root().resolve("postrider-tests/src/test/java/" + test.getName().replace('.', '/') + ".java"));
        List<String> snippets = new ArrayList<>();
        SNIPPET.matcher(source)
                .results()
                .forEach(found ->
                        snippets.add(found.group(1).stripIndent().lines().collect(Collectors.joining("\n"))));
        assertThat(snippets).isNotEmpty();
        assertThat(Files.readString(root().resolve(page))).contains(snippets);
    }

    private static Path root() {
        Path here = Path.of("").toAbsolutePath();
        return Files.exists(here.resolve("README.md")) ? here : here.getParent();
    }
}
