package dev.postrider;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What is logged while something is done. */
public final class Logged {
    private Logged() {}

    public static List<String> during(Runnable action) {
        PrintStream before = System.err;
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
        try {
            action.run();
        } finally {
            System.setErr(before);
        }
        return written.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
