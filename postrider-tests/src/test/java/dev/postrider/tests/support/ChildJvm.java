package dev.postrider.tests.support;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A process with the test's own classes, for what a test wants to kill, pause or starve. */
public final class ChildJvm {
    private ChildJvm() {}

    /**
     * @param heap such as {@code -Xmx128m}, and other options
     * @param arguments of the program
     */
    public static ProcessBuilder of(Class<?> program, List<String> heap, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // It lives for seconds: the big compiler and the parallel collectors would cost more than they bring.
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(heap);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command);
    }
}
