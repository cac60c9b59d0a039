package dev.postrider.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Java on a page is code that compiles and runs: it is found, line by line, in a program of {@code postrider-user-tests}, where
 * every build compiles and runs it as a user would. What is on the page about Spring is in the application with Spring Boot, its
 * dependencies and properties too.
 */
class PageCodeTest {
    private static final Path ROOT = Files.exists(Path.of("README.md")) ? Path.of("") : Path.of("..");
    private static final Path PROGRAMS = ROOT.resolve("postrider-user-tests/src/it");
    private static final Path APPLICATION = PROGRAMS.resolve("spring");
    /** Its code is that of an example: TutorialTest, in examples/check. */
    private static final String TUTORIAL = "tutorial.md";

    private static final Path SPRING_PAGE = ROOT.resolve("docs/spring.md");

    /** What it shows is what not to do. */
    private static final Pattern PROBLEM_OF_THE_README =
            Pattern.compile("^## The problem, in two attempts\n.*?(?=^## )", Pattern.DOTALL | Pattern.MULTILINE);

    private static final Pattern DEPENDENCY = Pattern.compile("<(dependency|parent)>.*?</\\1>", Pattern.DOTALL);

    private record Block(String page, String code) {
        @Override
        public String toString() {
            return "This block of " + page + " is in no source of " + PROGRAMS + ":\n\n" + code + "\n";
        }
    }

    @Test
    void everyBlockOfJavaOnAPageIsCodeOfAUsersProgram() throws IOException {
        List<List<String>> sources = sources();
        List<Block> blocks = blocks();

        assertThat(blocks).isNotEmpty();
        assertThat(blocks)
                .filteredOn(block -> sources.stream().noneMatch(source -> has(source, block)))
                .isEmpty();
    }

    /** Their versions are filled in there. */
    @Test
    void everyDependencyAboutSpringIsOneOfTheApplication() throws IOException {
        List<String> used = dependencies(Files.readString(APPLICATION.resolve("pom.xml")));
        List<String> shown = blocks("xml", SPRING_PAGE).stream()
                .flatMap(block -> dependencies(block.code()).stream())
                .toList();

        assertThat(shown).isNotEmpty();
        assertThat(used).containsAll(shown);
    }

    private static List<String> dependencies(String pom) {
        return DEPENDENCY
                .matcher(pom.replaceAll("<version>.*</version>", ""))
                .results()
                .map(found -> found.group().replaceAll("\\s", ""))
                .toList();
    }

    /** The first block: three properties, with which the application runs. Others show what else there is. */
    @Test
    void firstPropertiesAboutSpringAreThoseOfTheApplication() throws IOException {
        Block first = blocks("properties", SPRING_PAGE).get(0);

        assertThat(first.code().lines()).hasSize(3);
        assertThat(has(Files.readAllLines(APPLICATION.resolve("src/main/resources/application.properties")), first))
                .isTrue();
    }

    /** To the letter, but for the indentation of the whole. */
    private static boolean has(List<String> source, Block block) {
        int height = (int) block.code().lines().count();
        for (int first = 0; first + height <= source.size(); first++) {
            String part = String.join("\n", source.subList(first, first + height));
            if (part.stripIndent().equals(block.code())) {
                return true;
            }
        }
        return false;
    }

    private static List<Block> blocks() throws IOException {
        List<Block> blocks = new ArrayList<>(blocks("java", ROOT.resolve("README.md")));
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            for (Path page : docs.filter(file -> file.toString().endsWith(".md") && !file.endsWith(TUTORIAL))
                    .sorted()
                    .toList()) {
                blocks.addAll(blocks("java", page));
            }
        }
        return blocks;
    }

    private static List<Block> blocks(String language, Path page) throws IOException {
        String text = PROBLEM_OF_THE_README.matcher(Files.readString(page)).replaceFirst("");
        return Pattern.compile("^ *```" + language + "\\b[^\n]*\n(.*?)^ *```$", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(text)
                .results()
                .map(found -> new Block(ROOT.relativize(page).toString(), withoutIndentation(found.group(1))))
                .toList();
    }

    /** A line break at the end would count as a line that is not indented. */
    private static String withoutIndentation(String block) {
        return String.join("\n", block.lines().toList()).stripIndent();
    }

    private static List<List<String>> sources() throws IOException {
        try (Stream<Path> files = Files.walk(PROGRAMS)) {
            List<List<String>> sources = new ArrayList<>();
            for (Path file :
                    files.filter(one -> one.toString().endsWith(".java")).toList()) {
                sources.add(Files.readAllLines(file));
            }
            return sources;
        }
    }
}
