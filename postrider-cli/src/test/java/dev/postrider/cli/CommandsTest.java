package dev.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** What works without a server. */
class CommandsTest {
    @TempDir
    Path directory;

    private Session session;

    @BeforeEach
    void begin() {
        session = new Session(directory);
    }

    @Test
    void versionIsOneLine() {
        assertThat(session.run("--version")).isZero();
        assertThat(session.out().lines()).hasSize(1);
        assertThat(session.out()).startsWith("postrider ");
    }

    @Test
    void everyCommandHasHelpWithAnExample() {
        for (String command : List.of("demo", "devservices", "migrate", "relay", "status")) {
            assertThat(session.run(command, "--help")).isZero();
            assertThat(session.out()).contains("Usage: postrider " + command, "Example", "--json");
        }
    }

    @Test
    void helpOfRelayFitsAScreenAndNamesTheOneOfTheSettings() {
        session.run("relay", "--help");
        assertThat(session.out())
                .contains("--batch-size=<number>", "Default: 2000.", "'postrider help settings'")
                .doesNotContain("--db-password=");
        assertThat(session.out().lines().count()).as(session.out()).isBetween(24L, 50L);
    }

    @Test
    void settingsHaveAHelpOfTheirOwn() {
        assertThat(session.run("help", "settings")).isZero();
        assertThat(session.out())
                .contains("relay.retry.max-retries", "POSTRIDER_RELAY_RETRY_MAX_RETRIES", "Default: 5.")
                .contains("kafka.properties", "POSTRIDER_KAFKA_PROPERTIES", "outboxes:")
                .contains("POSTRIDER_RELAY_BATCH_SIZE  --batch-size");
        assertThat(session.out().lines()).allMatch(line -> line.length() <= 110);

        assertThat(session.run("help", "settings", "relay.retry")).isZero();
        assertThat(session.out())
                .contains("relay.retry.base", "relay.retry.cap")
                .doesNotContain("relay.batch-size");

        assertThat(session.run("help", "settings", "relay.rety")).isEqualTo(2);
        assertThat(session.errLines())
                .containsExactly(
                        "postrider: Unknown setting [relay.rety]; did you mean relay.retry? See 'postrider help --help'.");
    }

    @Test
    void helpOfACommandIsWhatTheCommandSays() {
        session.run("--help");
        String all = session.out();
        assertThat(session.run("help")).isZero();
        assertThat(session.out()).isEqualTo(all);

        session.run("dead", "retry", "--help");
        String ofRetry = session.out();
        assertThat(session.run("help", "dead", "retry")).isZero();
        assertThat(session.out()).isEqualTo(ofRetry).contains("Usage: postrider dead retry");

        assertThat(session.run("help", "stauts")).isEqualTo(2);
        assertThat(session.err()).contains("Unknown command [stauts]; did you mean status?");
        assertThat(session.out()).isEmpty();
    }

    @Test
    void helpNeedsNoValidSettings() {
        session.variable("POSTRIDER_NONSENSE", "1");
        assertThat(session.run("relay", "--help")).isZero();
        assertThat(session.run("help", "relay")).isZero();
        assertThat(session.run("completion")).isZero();
    }

    @Test
    void completionKnowsCommandsAndOptions() throws Exception {
        assertThat(session.run("completion")).isZero();
        String script = session.out()
                + "COMP_WORDS=(postrider dea); COMP_CWORD=1; _complete_postrider; echo \"${COMPREPLY[@]}\"\n"
                + "COMP_WORDS=(postrider relay --batch); COMP_CWORD=2; _complete_postrider; echo \"${COMPREPLY[@]}\"\n";
        session.file("complete.sh", script);
        Process bash = new ProcessBuilder(
                        "bash", directory.resolve("complete.sh").toString())
                // Where bash says that it is not completing anything.
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines())
                .containsExactly("dead", "--batch-size");
    }

    @Test
    void migratePrintsTheSqlOfTheChosenTable() {
        assertThat(session.run("migrate", "--print", "--table", "sales.outbox_a"))
                .isZero();
        assertThat(session.out())
                .contains("create table \"sales\".\"outbox_a\"")
                .doesNotContain("${");
    }

    @Test
    void migratePrintsALogUnlessSaidOtherwise() {
        assertThat(session.run("migrate", "--print")).isZero();
        assertThat(session.out())
                .contains("('mode', 'log'), ('shards', '4'), ('delivery', 'at-least-once')", "index outbox_shard")
                .doesNotContain("outbox_due");
    }

    @Test
    void migratePrintsTheSqlOfTheChosenLayout() {
        assertThat(session.run("migrate", "--print", "--shards", "8", "--delivery", "exactly-once"))
                .isZero();
        assertThat(session.out()).contains("('mode', 'log'), ('shards', '8'), ('delivery', 'exactly-once')", "% 8)");

        assertThat(session.run("migrate", "--print", "--mode", "claim")).isZero();
        assertThat(session.out())
                .contains("('mode', 'claim')", "index outbox_due")
                .doesNotContain("outbox_shard");
    }

    @Test
    void helpOfMigrateAndDemoSaysWhatHoldsForANewOutbox() {
        for (String command : List.of("migrate", "demo")) {
            session.run(command, "--help");
            assertThat(session.out())
                    .contains("--mode=<log|claim>", "Default: log;", "--shards=<number>", "1 to 256", "Default: 4.")
                    .contains("--delivery=<at-least-once|exactly-once>");
        }
        session.run("migrate", "--help");
        assertThat(session.out().replaceAll("\\s+", " ")).contains("'postrider alter' changes it");
    }

    @Test
    void jsonIsOneObjectOnStandardOutput() {
        assertThat(session.run("migrate", "--print", "--json")).isZero();
        var object = JsonMapper.shared().readTree(session.out());
        assertThat(object.path("table").asString()).isEqualTo("outbox");
        assertThat(object.path("mode").asString()).isEqualTo("log");
        assertThat(object.path("shards").asInt()).isEqualTo(4);
        assertThat(object.path("delivery").asString()).isEqualTo("at-least-once");
        assertThat(object.path("sql").asString()).contains("create table");
        assertThat(session.err()).isEmpty();
    }
}
