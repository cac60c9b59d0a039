package dev.postrider.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.command.Colours;
import dev.postrider.cli.demo.Participants.Participant;
import dev.postrider.cli.demo.Participants.State;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LiveBlockTest {
    private static final LiveBlock.Counts HALF_WAY =
            new LiveBlock.Counts("throughput: a backlog", 200_000, 200_000, 100_000, 100_000, 41_234.4);

    private static final List<Participant> ONE_IS_DEAD = List.of(
            new Participant("PostgreSQL", State.UP, 0),
            new Participant("Kafka", State.STOPPED, 0),
            new Participant("relay-1", State.PAUSED, 0),
            new Participant("relay-2", State.KILLED, 0));

    @Test
    void blockShowsWhatIsWrittenDeliveredAndWaitsAndWhoIsAlive() {
        String text = new LiveBlock(Colours.none(), false).text(HALF_WAY, ONE_IS_DEAD, 2_000_000_000L);

        assertThat(text.lines())
                .containsExactly(
                        "",
                        "  throughput: a backlog",
                        "  written   " + "#".repeat(40) + "    200,000",
                        "  delivered " + "#".repeat(20) + ".".repeat(20) + "    100,000   41,234/s",
                        "  backlog   " + "#".repeat(40) + "    100,000",
                        "  * PostgreSQL   x Kafka stopped 2 s ago   - relay-1 paused 2 s ago",
                        "  x relay-2 killed 2 s ago");
    }

    @Test
    void coloursAndBlocksAreForTerminalsThatKnowThem() {
        Map<String, String> terminal = Map.of("TERM", "xterm", "LANG", "C.UTF-8");

        assertThat(LiveBlock.of(terminal).text(HALF_WAY, ONE_IS_DEAD, 0)).contains("\u001b[32m█", "✗ relay-2");
        assertThat(LiveBlock.of(Map.of("TERM", "xterm", "LANG", "C.UTF-8", "NO_COLOR", "1"))
                        .text(HALF_WAY, ONE_IS_DEAD, 0))
                .contains("█")
                .doesNotContain("\u001b");
        assertThat(LiveBlock.of(Map.of("TERM", "xterm", "LANG", "C")).text(HALF_WAY, ONE_IS_DEAD, 0))
                .contains("#")
                .doesNotContain("█");
    }

    @Test
    void littleIsStillSeen() {
        LiveBlock.Counts one = new LiveBlock.Counts("latency", 4_500, 1, 0, 1, 0);

        assertThat(new LiveBlock(Colours.none(), false).text(one, List.of(), 0))
                .contains("written   #...", "delivered ....", "backlog   #...");
    }
}
