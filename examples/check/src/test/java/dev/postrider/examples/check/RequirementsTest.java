package dev.postrider.examples.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Every requirement of the systems in this build was shown by a test that ran and succeeded, and {@code docs/systems.md}
 * says where it is configured and which tests those are. Runs last; run the tests of the examples before it.
 */
class RequirementsTest {
    private static final Path EXAMPLES = Path.of("").toAbsolutePath().getParent();
    private static final Path PAGE = EXAMPLES.resolveSibling("docs").resolve("systems.md");

    @Test
    void everyRequirementWasShownAndIsOnThePage() throws IOException {
        SystemsPage page = SystemsPage.read(PAGE);
        List<String> problems = new ArrayList<>();
        TreeSet<String> unknownRows = new TreeSet<>(page.rows().keySet());
        for (ExampleSystem system : ExampleSystem.values()) {
            Path folder = EXAMPLES.resolve(system.folder());
            if (Files.isDirectory(folder)) {
                check(system, ShownRequirements.of(folder), page, problems);
                unknownRows.removeAll(system.ids());
            }
        }
        unknownRows.forEach(id -> problems.add(PAGE + " has a row for " + id + ", which no system here has"));
        assertThat(problems)
                .describedAs("What is wrong with the requirements of the examples and docs/systems.md")
                .isEmpty();
    }

    private static void check(ExampleSystem system, ShownRequirements shown, SystemsPage page, List<String> problems)
            throws IOException {
        problems.addAll(shown.problems());
        TreeSet<String> unknown = new TreeSet<>(shown.tests().keySet());
        system.ids().forEach(unknown::remove);
        unknown.forEach(id -> problems.add(system.folder() + " has no requirement " + id + ", which "
                + shown.tests().get(id) + " shows"));
        for (String id : system.ids()) {
            SortedSet<String> tests = shown.tests().getOrDefault(id, new TreeSet<>());
            if (system.isMissing(id)) {
                if (!tests.isEmpty()) {
                    problems.add(id + " is shown by " + tests + ": it is not missing in ExampleSystem any more");
                }
                continue;
            }
            if (tests.isEmpty()) {
                problems.add(
                        id + " is shown by no test: @Requirement(\"" + id + "\") is on none in " + system.folder());
                continue;
            }
            SystemsPage.Row row = page.rows().get(id);
            String expected = tests.stream().map(test -> "`" + test + "`").collect(Collectors.joining(", "));
            if (row == null) {
                problems.add(id + " has no row in " + PAGE + "; its tests are " + expected);
                continue;
            }
            if (!row.tests().equals(tests)) {
                problems.add(id + " has other tests than its row in " + PAGE + " says; they are " + expected);
            }
            problems.addAll(page.problemsWithPlace(id, row));
        }
    }
}
