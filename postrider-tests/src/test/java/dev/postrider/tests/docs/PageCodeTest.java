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
 * Java on a page is code that compiles and runs: it is found, line by line, in the program of {@code postrider-user-tests},
 * where every build compiles and runs it as a user would.
 */
class PageCodeTest {
    private static final Path ROOT = Files.exists(Path.of("README.md")) ? Path.of("") : Path.of("..");
    private static final Path PROGRAM = ROOT.resolve("postrider-user-tests/src/it/program/src/test/java");

    /** Its code is in the module for Spring, and so is a test that compares. */
    private static final String SPRING_PAGE = "spring.md";

    /** What it shows is what not to do. */
    private static final Pattern PROBLEM_OF_THE_README =
            Pattern.compile("^## The problem, in two attempts\n.*?(?=^## )", Pattern.DOTALL | Pattern.MULTILINE);

    private static final Pattern JAVA =
            Pattern.compile("^ *```java\\b[^\n]*\n(.*?)^ *```$", Pattern.DOTALL | Pattern.MULTILINE);

    private record Block(String page, String code) {
        @Override
        public String toString() {
            return "This block of " + page + " is in no source of " + PROGRAM + ":\n\n" + code + "\n";
        }
    }

    @Test
    void everyBlockOfJavaOnAPageIsCodeOfTheUsersProgram() throws IOException {
        List<List<String>> sources = sources();
        List<Block> blocks = blocks();

        assertThat(blocks).isNotEmpty();
        assertThat(blocks)
                .filteredOn(block -> sources.stream().noneMatch(source -> has(source, block)))
                .isEmpty();
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
        List<Block> blocks = new ArrayList<>();
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            Stream<Path> pages = docs.filter(file -> file.toString().endsWith(".md"))
                    .filter(file -> !file.endsWith(SPRING_PAGE))
                    .sorted();
            for (Path page :
                    Stream.concat(Stream.of(ROOT.resolve("README.md")), pages).toList()) {
                String text =
                        PROBLEM_OF_THE_README.matcher(Files.readString(page)).replaceFirst("");
                JAVA.matcher(text)
                        .results()
                        .forEach(found -> blocks.add(
                                new Block(ROOT.relativize(page).toString(), withoutIndentation(found.group(1)))));
            }
        }
        return blocks;
    }

    /** A line break at the end would count as a line that is not indented. */
    private static String withoutIndentation(String block) {
        return String.join("\n", block.lines().toList()).stripIndent();
    }

    private static List<List<String>> sources() throws IOException {
        try (Stream<Path> files = Files.walk(PROGRAM)) {
            List<List<String>> sources = new ArrayList<>();
            for (Path file :
                    files.filter(one -> one.toString().endsWith(".java")).toList()) {
                sources.add(Files.readAllLines(file));
            }
            return sources;
        }
    }
}
