package dev.postrider.devservices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class AccountTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void rootFindsAWayToRunPostgresAndItsStandbyAsNobodyWhereNamespacesAreForbidden() {
        assumeFalse(Account.choose() instanceof Account.Ourselves, "only root needs another account");
        assumeTrue(Account.asNobody().isPresent(), "setpriv is missing");

        try (Workspace workspace = Workspace.open("postgres", null);
                Workspace copied = Workspace.open("postgres", null)) {
            PostgresCluster cluster =
                    PostgresCluster.in(workspace, Account.asNobody().get());
            PostgresCluster standby =
                    PostgresCluster.in(copied, Account.asNobody().get());
            int port = FreePorts.any();
            cluster.initialise();
            whileItRuns(cluster, port, () -> {
                try (BaseBackup backup = BaseBackup.of(port, cluster.data())) {
                    standby.initialise(backup);
                    whileItRuns(standby, FreePorts.any(), () -> {});
                }
            });
        }
    }

    private static void whileItRuns(PostgresCluster cluster, int port, Runnable action) {
        cluster.configure(new PostgresSettings().on(port));
        ServerProcess process = ServerProcess.launch("PostgreSQL", cluster.server(), cluster.log());
        try {
            Waiting.until(PATIENCE, () -> !process.isRunning() || cluster.isReady(process.pid()));
            assertThat(cluster.isReady(process.pid())).as(process.logTail()).isTrue();
            action.run();
            Command.Outcome outcome = cluster.stop(StopMode.ORDERLY, PATIENCE).run(PATIENCE);
            assertThat(outcome.isSuccess()).as(outcome.output()).isTrue();
            assertThat(process.awaitExit(PATIENCE)).isTrue();
        } finally {
            process.kill();
        }
    }

    @Test
    void chosenAccountIsNotRoot() {
        Command.Outcome outcome = new Command(
                        Account.choose().wrap(List.of(Command.find("id").orElseThrow(), "-u")), Path.of("/"))
                .run(PATIENCE);
        assertThat(outcome.output()).matches("[0-9]+").isNotEqualTo("0");
    }
}
