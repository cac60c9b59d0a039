package dev.postrider.devservices;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A server that runs on this JVM's class path, in a JVM of its own. */
final class JavaProgram {

    private static final List<String> JVM_OPTIONS = List.of(
            "-Xmx512m",
            // Quicker to start than the parallel collectors, and enough for half a gigabyte.
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "-Djava.awt.headless=true",
            "-Dslf4j.provider=" + BrokerLogging.class.getName(),
            "-Dslf4j.internal.verbosity=WARN",
            // Kafka looks at Log4j when it starts, which would then open the application's log files.
            "-Dlog4j2.loggerContextFactory=org.apache.logging.log4j.simple.SimpleLoggerContextFactory");

    private JavaProgram() {}

    /** To be run in this directory, which also gets a file with what does not fit on a command line. */
    static Command of(Class<?> main, List<String> arguments, Path directory) throws IOException {
        List<String> all = new ArrayList<>(JVM_OPTIONS);
        all.add("-XX:ErrorFile=" + directory.resolve("jvm-crash.log"));
        all.add("-cp");
        all.add(classPath());
        all.add(main.getName());
        all.addAll(arguments);
        // Goes by a file, because a class path can be longer than a command line.
        Path file = directory.resolve("jvm-arguments");
        Files.write(file, all.stream().map(JavaProgram::quoted).toList());
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new Command(List.of(java, "@" + file), directory);
    }

    private static String classPath() {
        // The program has another working directory.
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.isEmpty())
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String quoted(String argument) {
        return '"' + argument.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
