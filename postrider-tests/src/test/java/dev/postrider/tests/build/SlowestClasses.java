package dev.postrider.tests.build;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Run by the build after all tests: says which classes took longest, so that their time is earned or cut. */
public final class SlowestClasses {
    private static final Pattern SUITE = Pattern.compile("<testsuite\\b[^>]*>");
    private static final Pattern NAME = Pattern.compile(" name=\"([^\"]*)\"");
    private static final Pattern TIME = Pattern.compile(" time=\"([0-9.,]*)\"");
    private static final int SHOWN = 10;

    private SlowestClasses() {}

    private record Taken(String name, double seconds) {}

    /** The only argument is the folder of the whole project. */
    public static void main(String[] args) throws IOException {
        List<Taken> all = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Path.of(args[0]))) {
            for (Path module : modules.toList()) {
                read(module.resolve("target/surefire-reports"), all);
            }
        }
        all.sort(Comparator.comparingDouble(Taken::seconds).reversed());
        System.out.printf(
                Locale.ROOT,
                "%d test classes took %.0f s; the slowest:%n",
                all.size(),
                all.stream().mapToDouble(Taken::seconds).sum());
        all.stream()
                .limit(SHOWN)
                .forEach(one -> System.out.printf(Locale.ROOT, "%7.1f s  %s%n", one.seconds(), one.name()));
    }

    private static void read(Path reports, List<Taken> into) throws IOException {
        if (!Files.isDirectory(reports)) {
            return;
        }
        try (Stream<Path> files = Files.list(reports)) {
            for (Path file : files.filter(one -> one.getFileName().toString().matches("TEST-.*\\.xml"))
                    .toList()) {
                Matcher suite = SUITE.matcher(Files.readString(file));
                if (suite.find()) {
                    into.add(new Taken(find(NAME, suite.group()), seconds(find(TIME, suite.group()))));
                }
            }
        }
    }

    private static String find(Pattern attribute, String tag) {
        Matcher matcher = attribute.matcher(tag);
        return matcher.find() ? matcher.group(1) : "";
    }

    /** Thousands are separated by commas. */
    private static double seconds(String time) {
        return time.isEmpty() ? 0 : Double.parseDouble(time.replace(",", ""));
    }
}
