package dev.postrider.devservices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.DriverManager;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

@DisabledOnOs(value = OS.WINDOWS, disabledReason = "no watchdog there")
class NothingStaysBehindTest {

    @Test
    void serversEndWithAKilledOwnerAndLeaveThoseOfOthersAlone() throws Exception {
        Process firstProcess = Owner.launch("stay");
        Process secondProcess = Owner.launch("stay");
        try {
            Owner first = Owner.of(firstProcess);
            Owner second = Owner.of(secondProcess);
            assertThat(first.hasAllServers()).isTrue();
            assertThat(first.directories())
                    .allSatisfy(directory -> assertThat(directory).isDirectory());

            second.freeze();
            first.kill();

            awaitEndOf(first);
            await().during(Duration.ofSeconds(2)).until(second::hasAllServers);
            try (var connection = DriverManager.getConnection(second.jdbcUrl(), "postgres", "postgres")) {
                assertThat(connection.isValid(5)).isTrue();
            }

            second.kill();
            awaitEndOf(second);
        } finally {
            firstProcess.destroyForcibly();
            secondProcess.destroyForcibly();
        }
    }

    @Test
    void serversEndWithTheExitOfTheirOwner() throws Exception {
        Owner owner = Owner.of(Owner.launch("exit"));
        assertThat(owner.ends(Duration.ofSeconds(60))).isTrue();
        // By the exit itself, not by somebody who comes to look later.
        assertThat(owner.servers()).allMatch(ServerProcess::hasEnded);
        assertThat(owner.directories())
                .allSatisfy(directory -> assertThat(directory).doesNotExist());
    }

    private static void awaitEndOf(Owner owner) {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            assertThat(owner.servers()).allMatch(ServerProcess::hasEnded);
            assertThat(owner.directories())
                    .allSatisfy(directory -> assertThat(directory).doesNotExist());
        });
    }
}
