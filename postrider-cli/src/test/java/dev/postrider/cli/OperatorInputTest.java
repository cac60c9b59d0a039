package dev.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What operators type: what is wrong is said in one line, before anybody is contacted. */
class OperatorInputTest {
    /** Nothing listens on this port. */
    private static final String NO_DATABASE = "jdbc:postgresql://127.0.0.1:1/app";

    @TempDir
    Path directory;

    private Session session;

    @BeforeEach
    void begin() {
        session = new Session(directory).variable("POSTRIDER_DB_URL", NO_DATABASE);
    }

    @Test
    void everyCommandHasHelpWithAnExample() {
        for (String command : List.of(
                "adopt",
                "alter",
                "audit",
                "dead",
                "dead list",
                "dead show",
                "dead retry",
                "dead discard",
                "replay",
                "restore",
                "topics redrive")) {
            String[] words = (command + " --help").split(" ");
            assertThat(session.run(words)).isZero();
            assertThat(session.out()).contains("Usage: postrider " + command, "Example", "--json");
        }
    }

    @Test
    void unknownLayoutSaysWhatIsAllowed() {
        assertRefused(session.run("alter", "--mode", "wal"), "--mode is [wal]", "claim or log");
        assertRefused(session.run("alter", "--shards", "0"), "--shards is [0]", "1 to 256");
        assertRefused(session.run("alter", "--delivery", "twice"), "--delivery is [twice]", "exactly-once");
        assertRefused(session.run("adopt"), "--after");
        assertRefused(session.run("adopt", "--after", "lunch"), "--after is [lunch]", "restore or upgrade");
    }

    @Test
    void redriveIsCheckedBeforeAnybodyIsContacted() {
        String letters = "order-events.dlq";
        assertRefused(session.run("topics", "redrive"), "Missing required parameter", "<topic.dlq>");
        assertRefused(
                session.run("topics", "redrive", "order-events", "--yes"),
                "[order-events] is not the name of a dead letter topic",
                "end with .dlq (topics.dead-letter-suffix)");
        assertRefused(session.run("topics", "redrive", letters, "--limit", "0"), "--limit is [0]", "1");
        assertRefused(session.run("topics", "redrive", letters, "--since", "lunch"), "--since is [lunch]", "2h");
        assertRefused(session.run("topics", "redrive", letters, "--since", "1h", "--until", "2h"), "Nothing dies at");
        assertRefused(session.run("topics", "redrive", letters, "--to", "a b"), "--to is [a b]", "letters");
        assertRefused(session.run("topics", "redrive", letters, "--to", letters), "are in " + letters + " already");
        assertRefused(session.run("topics", "redrive", letters), "There is no terminal", "--yes", "--dry-run");
        assertRefused(session.run("topics", "redrive", letters, "--yes"), "kafka.bootstrap-servers is needed");
    }

    @Test
    void groupsOfCommandsAloneLook() {
        assertOneLine(session.run("dead"), 1, NO_DATABASE, "refused");
        assertRefused(session.run("dead", "--limit", "0"), "--limit is [0]", "from 1");
        assertRefused(session.run("dead", "--limti", "0"), "Unknown option --limti; did you mean --limit?");
        assertRefused(session.run("dead", "retyr"), "Unknown command [retyr]; did you mean retry?");
        assertRefused(session.run("topics"), "kafka.bootstrap-servers is needed");
        assertThat(session.run("dead", "--help")).isZero();
        assertThat(session.out()).contains("Without a command: lists them", "discard");
    }

    @Test
    void emptySelectionIsRefusedWhereSomethingWouldChange() {
        assertRefused(session.run("dead", "retry", "--yes"), "Which dead letters?", "--all");
        assertRefused(session.run("dead", "discard", "--yes"), "Which dead letters?", "--all");
        assertRefused(session.run("dead", "retry", "--all", "--type", "x", "--yes"), "--all means every dead letter");
    }

    @Test
    void withoutATerminalYesMustBeSaid() {
        assertRefused(session.run("dead", "retry", "--all"), "no terminal", "--yes", "--dry-run");
        assertRefused(session.run("dead", "discard", "--id", "1"), "no terminal", "--yes");
        assertRefused(session.run("replay", "--aggregate", "a/b"), "no terminal", "--yes");
    }

    @Test
    void unusableConditionSaysWhatIsAllowed() {
        assertRefused(session.run("dead", "list", "--id", "one"), "--id is [one]", "whole number");
        assertRefused(session.run("dead", "list", "--id", "1,x"), "--id is [x]");
        assertRefused(session.run("dead", "list", "--event-id", "7"), "--event-id is [7]", "UUID");
        assertRefused(session.run("dead", "list", "--aggregate", "order"), "--aggregate is [order]", "order/42");
        assertRefused(session.run("dead", "list", "--since", "yesterday"), "--since is [yesterday]", "2h");
        assertRefused(session.run("dead", "list", "--until", "2026-03-01T12:00"), "--until", "2026-03-01T12:00:00Z");
        assertRefused(session.run("dead", "list", "--limit", "0"), "--limit is [0]", "from 1");
        assertRefused(session.run("audit", "--limit", "all"), "--limit is [all]");
        assertRefused(session.run("dead", "show", "x"), "The id is [x]", "whole number");
        assertRefused(session.run("dead", "show"), "<id>");
        assertRefused(session.run("dead", "show", "1", "2"), "Unexpected argument [2]", "one argument");
        assertRefused(session.run("dead", "retry", "--all", "--as", " ", "--yes"), "--as is empty");
    }

    @Test
    void replayWantsOneWayToSayWhichEvents() {
        String which = "Which events?";
        assertRefused(session.run("replay", "--yes"), which, "--aggregate", "--from");
        assertRefused(session.run("replay", "--from", "2h", "--yes"), which);
        assertRefused(session.run("replay", "--aggregate", "a/b", "--from", "2h", "--to", "1h", "--yes"), which);
        assertRefused(session.run("replay", "--aggregate", "a/b", "--topic", "no topic", "--yes"), "--topic is");
        assertRefused(session.run("replay", "--aggregate", "a/b", "--after-id", "-1", "--yes"), "--after-id is [-1]");
        assertRefused(session.run("replay", "--aggregate", "a/b", "--yes"), "kafka.bootstrap-servers is needed");
    }

    @Test
    void restoreWantsAFileThatIsThere() {
        assertRefused(session.run("restore"), "<file>");
        assertRefused(session.run("restore", "dead.jsonl"), "dead.jsonl", "no such file");
        assertRefused(session.run("restore", "."), "directory");
    }

    @Test
    void unreachableDatabaseIsAnErrorOfTheEnvironment() {
        session.file("dead.jsonl", "");
        for (String command : List.of(
                "audit",
                "dead list",
                "dead show 1",
                "dead retry --all --yes",
                "dead discard --all --dry-run",
                "replay --aggregate a/b --dry-run",
                "restore dead.jsonl")) {
            assertOneLine(session.run(command.split(" ")), 1, NO_DATABASE, "refused");
        }
    }

    private void assertRefused(int status, String... parts) {
        assertOneLine(status, 2, parts);
    }

    private void assertOneLine(int status, int expectedStatus, String... parts) {
        assertThat(session.errLines()).as(session.err()).hasSize(1);
        assertThat(session.err()).startsWith("postrider: ").contains(parts);
        assertThat(session.out()).isEmpty();
        assertThat(status).isEqualTo(expectedStatus);
    }
}
