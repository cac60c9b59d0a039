package dev.postrider.tests.support;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What is logged while it is open, by any thread. */
public final class CapturedLog implements AutoCloseable {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    public CapturedLog() {
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
    }

    /** Those that contain all of these. */
    public List<String> lines(String... parts) {
        return written.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> List.of(parts).stream().allMatch(line::contains))
                .toList();
    }

    @Override
    public void close() {
        System.setErr(before);
        before.print(written.toString(StandardCharsets.UTF_8));
    }
}
