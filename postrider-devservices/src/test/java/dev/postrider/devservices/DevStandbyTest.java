package dev.postrider.devservices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("torture")
class DevStandbyTest {

    /** Long enough for whatever does not wait to be done. */
    private static final Duration STILL = Duration.ofMillis(500);

    private static final String SYSTEM = "SELECT system_identifier FROM pg_control_system()";
    private static final String TIMELINE = "SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)";

    @Test
    void standbyShowsCommittedRowsAndRefusesWrites() throws SQLException {
        try (DevPostgres primary = DevPostgres.start()) {
            Sql.execute(primary, "CREATE TABLE kept AS SELECT 'copied' AS how");
            try (DevStandby standby = primary.startStandby()) {
                assertThat(standby.postgres().port()).isNotEqualTo(primary.port());
                assertThat(standby.postgres().pid()).isNotEqualTo(primary.pid());

                Sql.execute(primary, "INSERT INTO kept VALUES ('streamed')");
                standby.awaitCaughtUp();

                assertThat(Sql.query(standby.postgres(), "SELECT string_agg(how, ' then ' ORDER BY how) FROM kept"))
                        .isEqualTo("copied then streamed");
                assertThatExceptionOfType(SQLException.class)
                        .isThrownBy(() -> Sql.execute(standby.postgres(), "INSERT INTO kept VALUES ('written')"))
                        .withMessageContaining("read-only");
            }
        }
    }

    @Test
    void standbyThatIsStartedWhileThePrimaryIsWrittenToMissesNothing() throws SQLException {
        try (DevPostgres primary = DevPostgres.start()) {
            Sql.execute(primary, "CREATE TABLE counted (n bigint PRIMARY KEY, filler text)");
            try (Writer writer = new Writer(primary);
                    DevStandby standby = primary.startStandby()) {
                writer.stop();
                standby.awaitCaughtUp();

                String rows = "SELECT count(*) || ' rows, ' || sum(n + length(filler)) FROM counted";
                assertThat(Sql.query(standby.postgres(), rows)).isEqualTo(Sql.query(primary, rows));
            }
        }
    }

    @Test
    void promotedStandbyHasWhatItReceivedAndLacksWhatWasCommittedAfterItWasDisconnected() throws SQLException {
        try (DevPostgres primary = DevPostgres.start();
                DevStandby standby = primary.startStandby()) {
            String system = Sql.query(primary, SYSTEM);
            String timeline = Sql.query(primary, TIMELINE);
            Sql.execute(primary, "CREATE TABLE kept AS SELECT 'early' AS moment");
            standby.awaitCaughtUp();

            standby.disconnect();
            Sql.execute(primary, "INSERT INTO kept VALUES ('late')");
            primary.kill();
            DevPostgres heir = standby.promote();

            Sql.execute(heir, "INSERT INTO kept VALUES ('after')");
            assertThat(heir).isSameAs(standby.postgres());
            assertThat(Sql.query(heir, "SELECT string_agg(moment, ', ') FROM kept"))
                    .isEqualTo("early, after");
            assertThat(Sql.query(heir, SYSTEM)).isEqualTo(system);
            assertThat(Sql.query(heir, TIMELINE)).isGreaterThan(timeline);

            heir.kill();
            heir.restart();
            assertThat(Sql.query(heir, "SELECT string_agg(moment, ', ') FROM kept"))
                    .isEqualTo("early, after");
        }
    }

    @Test
    void awaitingAndDisconnectingReturnWhenItIsSoAndNotBefore() throws SQLException {
        try (DevPostgres primary = DevPostgres.start();
                DevStandby standby = primary.startStandby()) {
            Sql.execute(primary, "CREATE TABLE kept AS SELECT 'early' AS moment");
            standby.awaitCaughtUp();

            pauseReplay(standby);
            Sql.execute(primary, "INSERT INTO kept VALUES ('late')");
            CompletableFuture<Void> caughtUp = CompletableFuture.runAsync(standby::awaitCaughtUp);
            await().during(STILL).until(() -> !caughtUp.isDone());
            resumeReplay(standby);
            caughtUp.join();
            assertThat(Sql.query(standby.postgres(), "SELECT count(*) FROM kept"))
                    .isEqualTo("2");

            // A standby that does not replay does not part from its primary either.
            pauseReplay(standby);
            CompletableFuture<Void> disconnected = CompletableFuture.runAsync(standby::disconnect);
            await().during(STILL).until(() -> !disconnected.isDone());
            resumeReplay(standby);
            disconnected.join();
            assertThat(Sql.query(standby.postgres(), "SELECT count(*) FROM pg_stat_wal_receiver"))
                    .isEqualTo("0");
        }
    }

    private static void pauseReplay(DevStandby standby) throws SQLException {
        Sql.execute(standby.postgres(), "SELECT pg_wal_replay_pause()");
        await().until(() -> Sql.query(standby.postgres(), "SELECT pg_get_wal_replay_pause_state()")
                .equals("paused"));
    }

    private static void resumeReplay(DevStandby standby) throws SQLException {
        Sql.execute(standby.postgres(), "SELECT pg_wal_replay_resume()");
    }

    @Test
    void disconnectedStandbyReceivesNothingEvenIfItIsRestartedBesideItsPrimary() throws SQLException {
        try (DevPostgres primary = DevPostgres.start();
                DevStandby standby = primary.startStandby()) {
            Sql.execute(primary, "CREATE TABLE kept AS SELECT 'early' AS moment");
            standby.awaitCaughtUp();

            standby.disconnect();
            await().until(() -> Sql.query(primary, "SELECT count(*) FROM pg_stat_replication")
                    .equals("0"));
            Sql.execute(primary, "INSERT INTO kept VALUES ('late')");
            assertThatIllegalStateException().isThrownBy(standby::awaitCaughtUp).withMessageContaining("disconnected");
            standby.disconnect();

            standby.postgres().restart();
            assertThat(standby.postgres().isRunning()).isTrue();
            DevPostgres heir = standby.promote();

            assertThat(Sql.query(heir, "SELECT string_agg(moment, ', ') FROM kept"))
                    .isEqualTo("early");
            assertThatIllegalStateException().isThrownBy(standby::promote).withMessageContaining("already");
            assertThatIllegalStateException().isThrownBy(standby::awaitCaughtUp).withMessageContaining("promoted");
            assertThat(Sql.query(primary, "SELECT count(*) FROM kept")).isEqualTo("2");
        }
    }

    @Test
    void standbyFollowsAgainAfterCrashesOfBoth() throws SQLException {
        try (DevPostgres primary = DevPostgres.start();
                DevStandby standby = primary.startStandby()) {
            Sql.execute(primary, "CREATE TABLE kept AS SELECT 1 AS n");
            standby.postgres().kill();
            Sql.execute(primary, "INSERT INTO kept VALUES (2)");
            // Starts a new file of the write-ahead log, and gives the primary every reason to throw away the old one.
            Sql.execute(primary, "SELECT pg_switch_wal()");
            Sql.execute(primary, "CHECKPOINT");
            primary.kill();
            primary.restart();
            Sql.execute(primary, "INSERT INTO kept VALUES (4)");

            standby.postgres().restart();
            standby.awaitCaughtUp();

            assertThat(Sql.query(standby.postgres(), "SELECT sum(n) FROM kept")).isEqualTo("7");
        }
    }

    @Test
    void standbyIsFollowedByOthersBeforeAndAfterItsPromotion() throws SQLException {
        try (DevPostgres primary = DevPostgres.start();
                DevStandby standby = primary.startStandby();
                DevStandby before = standby.postgres().startStandby()) {
            Sql.execute(primary, "CREATE TABLE kept AS SELECT 1 AS n");
            standby.awaitCaughtUp();
            before.awaitCaughtUp();
            assertThat(Sql.query(before.postgres(), "SELECT sum(n) FROM kept")).isEqualTo("1");

            standby.disconnect();
            DevPostgres heir = standby.promote();
            try (DevStandby after = heir.startStandby()) {
                Sql.execute(heir, "INSERT INTO kept VALUES (2)");
                before.awaitCaughtUp();
                after.awaitCaughtUp();
                assertThat(Sql.query(before.postgres(), "SELECT sum(n) FROM kept"))
                        .isEqualTo("3");
                assertThat(Sql.query(after.postgres(), "SELECT sum(n) FROM kept"))
                        .isEqualTo("3");
            }
        }
    }

    @Test
    void closingLeavesNoProcessNoDirectoryAndNothingOnThePrimary() throws SQLException {
        try (DevPostgres primary = DevPostgres.start()) {
            DevStandby standby = primary.startStandby();
            ProcessHandle postmaster =
                    ProcessHandle.of(standby.postgres().pid()).orElseThrow();
            Path data = Path.of(Sql.query(standby.postgres(), "SHOW data_directory"));
            assertThat(data).isDirectory();
            await().until(() -> Sql.query(primary, "SELECT max(state) FROM pg_stat_replication")
                    .equals("streaming"));

            standby.close();

            assertThat(ServerProcess.hasEnded(postmaster)).isTrue();
            assertThat(data.getParent()).doesNotExist();
            await().until(() -> Sql.query(primary, "SELECT count(*) FROM pg_stat_replication")
                    .equals("0"));
            await().until(() -> Sql.query(primary, "SELECT count(*) FROM pg_replication_slots")
                    .equals("0"));
            standby.close();
        }
    }

    @Test
    void standbyOutlivesItsPrimaryAndIsClosedAllTheSame() throws SQLException {
        DevPostgres primary = DevPostgres.start();
        DevStandby standby = primary.startStandby();
        Path data = Path.of(Sql.query(standby.postgres(), "SHOW data_directory"));

        primary.close();

        assertThat(Sql.query(standby.postgres(), "SELECT pg_is_in_recovery()")).isEqualTo("t");
        standby.postgres().kill();
        standby.close();
        assertThat(data.getParent()).doesNotExist();
        assertThatIllegalStateException().isThrownBy(primary::startStandby).withMessageContaining("not running");
    }

    @Test
    void serverWithoutAnythingToReplicateSaysSo() {
        try (DevPostgres alone = DevPostgres.builder()
                .setting("wal_level", "minimal")
                .setting("max_wal_senders", "0")
                .start()) {
            assertThatExceptionOfType(DevServicesException.class)
                    .isThrownBy(alone::startStandby)
                    .withMessageContaining("cannot be copied")
                    .withMessageContaining("wal_level");
        }
    }

    /** Commits rows and makes checkpoints, without a pause, until it is stopped. */
    private static final class Writer implements AutoCloseable {

        private final AtomicBoolean stopped = new AtomicBoolean();
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CompletableFuture<Void> work;

        Writer(DevPostgres postgres) {
            work = CompletableFuture.runAsync(() -> write(postgres), task -> new Thread(task, "writer").start());
            await().until(() -> work.isDone() || begun.getCount() == 0);
        }

        private void write(DevPostgres postgres) {
            try (Connection connection = Sql.connect(postgres);
                    Statement statement = connection.createStatement()) {
                for (int n = 0; !stopped.get(); n++) {
                    statement.execute("INSERT INTO counted VALUES (" + n + ", repeat('x', 1000))");
                    if (n % 20 == 0) {
                        statement.execute("CHECKPOINT");
                    }
                    begun.countDown();
                }
            } catch (SQLException e) {
                throw new CompletionException(e);
            }
        }

        void stop() {
            stopped.set(true);
            work.join();
        }

        @Override
        public void close() {
            stopped.set(true);
        }
    }
}
