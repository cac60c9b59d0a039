package dev.postrider.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class BenchCommandTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void unknownScenarioIsToldBeforeAnythingStarts() {
        assertThat(run("--scenario", "drian")).isEqualTo(2);
        assertThat(err.toString(UTF_8))
                .isEqualTo("postrider bench: There is no scenario drian; there are drain, latency, write, idle, held,"
                        + " growth.\n");
    }

    @Test
    void unknownPeerIsToldBeforeAnythingStarts() {
        assertThat(run("--peers", "log")).isEqualTo(2);
        assertThat(err.toString(UTF_8))
                .contains("There is no peer log; there are ")
                .contains("all and none");
    }

    @Test
    void helpNamesTheContenders() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString(UTF_8))
                .contains("--quick")
                .contains("claim-delete")
                .contains("growth");
    }

    private int run(String... args) {
        return BenchCommand.run(new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8), args);
    }
}
