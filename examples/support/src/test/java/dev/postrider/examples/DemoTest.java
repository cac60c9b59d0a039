package dev.postrider.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class DemoTest {
    private final ByteArrayOutputStream seen = new ByteArrayOutputStream();

    @Test
    void verdictDecidesTheStatus() {
        assertThat(play(stage -> stage.claim("all arrived", true, "3 of 3"))).isEqualTo(0);
        assertThat(seen()).contains("yes  all arrived (3 of 3)").endsWith("PASSED\n");

        assertThat(play(stage -> {
                    stage.claim("all arrived", true, "");
                    stage.claim("none twice", false, "");
                }))
                .isEqualTo(1);
        assertThat(seen()).contains("NO   none twice").endsWith("FAILED\n");

        assertThat(play(stage -> {})).describedAs("a script without claims").isEqualTo(1);
        assertThat(play(stage -> {
                    throw new IllegalStateException("no server");
                }))
                .isEqualTo(2);
    }

    @Test
    void whatWasStartedIsEndedInReverseOrderHoweverItEnds() {
        List<String> ended = new CopyOnWriteArrayList<>();
        int status = play(stage -> {
            stage.own(() -> ended.add("server"));
            stage.own(() -> ended.add("service"));
            Thread.currentThread().interrupt();
            stage.pause(Duration.ofMinutes(1));
        });

        assertThat(status).isEqualTo(130);
        assertThat(ended).containsExactly("service", "server");
    }

    @Test
    void serviceThatEndsByItselfIsReported() {
        int status = play(stage -> {
            ServiceProcess service = stage.own(ServiceProcess.ofThisClassPath("broken", "no.such.Main"));
            service.start();
            await().atMost(Duration.ofMinutes(1)).until(() -> !service.isRunning());
            service.check();
        });

        assertThat(status).isEqualTo(2);
        assertThat(seen()).contains("broken ended by itself with status 1");
    }

    /** As if this process had been killed: the service's watcher finds its input closed. */
    @Test
    void serviceDoesNotOutliveThisProcess() throws Exception {
        AtomicBoolean printed = new AtomicBoolean();
        ServiceProcess parent = ServiceProcess.ofThisClassPath("parent", ParentThatStartsAService.class.getName());
        List<Long> child = new CopyOnWriteArrayList<>();
        parent.onLine(line -> {
            if (line.startsWith("child ")) {
                child.add(Long.parseLong(line.substring(6)));
                printed.set(true);
            }
        });
        parent.start();
        await().atMost(Duration.ofMinutes(1)).untilTrue(printed);
        ProcessHandle service = ProcessHandle.of(child.get(0)).orElseThrow();

        parent.kill();

        await().atMost(Duration.ofMinutes(1)).until(() -> !service.isAlive());
    }

    @Test
    void tableAlignsItsColumns() {
        assertThat(new Table("state", "events")
                        .row("PENDING", 7)
                        .row("SENT", 1200)
                        .lines())
                .containsExactly(
                        "  state     events", "  ----------------", "  PENDING        7", "  SENT        1200");
    }

    private int play(Demo.Script script) {
        seen.reset();
        return Demo.play("A demonstration", script, new Screen(new PrintStream(seen, true), false));
    }

    private String seen() {
        return seen.toString(StandardCharsets.UTF_8);
    }
}
