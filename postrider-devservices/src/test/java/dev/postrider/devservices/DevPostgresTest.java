package dev.postrider.devservices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DevPostgresTest {

    @Test
    void committedRowsSurviveAStopAndAKillOnTheSamePort() throws SQLException {
        try (DevPostgres postgres = DevPostgres.start()) {
            String url = postgres.jdbcUrl();
            Sql.execute(postgres, "CREATE TABLE kept AS SELECT 1 AS n");

            postgres.stop();
            assertThat(postgres.isRunning()).isFalse();
            postgres.restart();
            Sql.execute(postgres, "INSERT INTO kept VALUES (2)");

            try (Connection witness = Sql.connect(postgres);
                    Statement open = witness.createStatement()) {
                witness.setAutoCommit(false);
                open.execute("INSERT INTO kept VALUES (1000)");
                postgres.kill();
                assertThat(postgres.isRunning()).isFalse();
                postgres.restart();
                assertThatExceptionOfType(SQLException.class).isThrownBy(() -> open.execute("SELECT 1"));
            }

            assertThat(Sql.query(postgres, "SELECT sum(n) FROM kept")).isEqualTo("3");
            assertThat(postgres.jdbcUrl()).isEqualTo(url);
        }
    }

    @Test
    void killEndsEveryProcessOfTheServer() throws SQLException {
        try (DevPostgres postgres = DevPostgres.start();
                Connection connection = Sql.connect(postgres)) {
            ProcessHandle postmaster = ProcessHandle.of(postgres.pid()).orElseThrow();
            List<ProcessHandle> children = postmaster.descendants().toList();
            assertThat(children)
                    .extracting(ProcessHandle::pid)
                    .contains(Long.parseLong(Sql.query(connection, "SELECT pg_backend_pid()")));

            postgres.kill();

            assertThat(children).allMatch(ServerProcess::hasEnded);
            assertThat(ServerProcess.hasEnded(postmaster)).isTrue();
            assertThatIllegalStateException().isThrownBy(postgres::pid).withMessageContaining("restart()");
        }
    }

    @Test
    void defaultsAreThoseOfADurableServer() throws SQLException {
        DevPostgres postgres = DevPostgres.shared();

        assertThat(Sql.query(postgres, "SHOW fsync")).isEqualTo("on");
        assertThat(Sql.query(postgres, "SHOW synchronous_commit")).isEqualTo("on");
        assertThat(Sql.query(postgres, "SHOW full_page_writes")).isEqualTo("on");
        assertThat(Sql.query(postgres, "SHOW wal_level")).isEqualTo("logical");
        assertThat(Sql.query(postgres, "SHOW max_prepared_transactions")).isEqualTo("20");
        assertThat(Sql.query(postgres, "SHOW max_connections")).isEqualTo("200");
        assertThat(Sql.query(postgres, "SHOW listen_addresses")).isEqualTo("127.0.0.1");
        assertThat(Sql.query(postgres, "SHOW server_encoding")).isEqualTo("UTF8");
        assertThat(Sql.query(postgres, "SELECT datcollate FROM pg_database WHERE datname = 'template1'"))
                .isEqualTo("C");
    }

    @Test
    void settingsArriveAndCanStillBeChangedByAlterSystem() throws SQLException {
        try (DevPostgres postgres = DevPostgres.builder()
                .setting("work_mem", "7MB")
                .setting("Application_Name", "it's a \\ test")
                .setting("fsync", "off")
                .start()) {
            assertThat(Sql.query(postgres, "SHOW work_mem")).isEqualTo("7MB");
            assertThat(Sql.query(
                            postgres,
                            "SELECT reset_val FROM pg_file_settings f JOIN pg_settings s USING (name)"
                                    + " WHERE name = 'work_mem' AND f.applied"))
                    .isEqualTo("7168");
            assertThat(Sql.query(postgres, "SELECT setting FROM pg_file_settings WHERE name = 'application_name'"))
                    .isEqualTo("it's a \\ test");
            assertThat(Sql.query(postgres, "SHOW fsync")).isEqualTo("off");

            Sql.execute(postgres, "ALTER SYSTEM SET work_mem = '9MB'");
            postgres.restart();
            assertThat(Sql.query(postgres, "SHOW work_mem")).isEqualTo("9MB");
        }
    }

    @Test
    void namedDirectoryIsKeptAndUsedAgain(@TempDir Path directory) throws SQLException {
        DevPostgres.Builder builder = DevPostgres.builder().dataDirectory(directory.resolve("made on demand"));
        try (DevPostgres first = builder.start()) {
            Sql.execute(first, "CREATE TABLE kept AS SELECT 42 AS n");
            assertThatExceptionOfType(DevServicesException.class)
                    .isThrownBy(builder::start)
                    .withMessageContaining("in use")
                    .withMessageContaining("made on demand");
        }
        try (DevPostgres second = builder.start()) {
            assertThat(Sql.query(second, "SELECT n FROM kept")).isEqualTo("42");
        }
    }

    @Test
    void temporaryDirectoryIsDeletedOnCloseEvenAfterAKill() throws SQLException {
        DevPostgres postgres = DevPostgres.start();
        Path data = Path.of(Sql.query(postgres, "SHOW data_directory"));
        assertThat(data).isDirectory();

        postgres.kill();
        postgres.close();

        assertThat(data.getParent()).doesNotExist();
        assertThat(postgres.isRunning()).isFalse();
        assertThatIllegalStateException().isThrownBy(postgres::restart).withMessageContaining("closed");
        postgres.close();
    }

    @Test
    void interruptedThreadCleansUpAsWell() throws SQLException {
        DevPostgres postgres = DevPostgres.start();
        ProcessHandle postmaster = ProcessHandle.of(postgres.pid()).orElseThrow();
        Path data = Path.of(Sql.query(postgres, "SHOW data_directory"));

        Thread.currentThread().interrupt();
        postgres.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(ServerProcess.hasEnded(postmaster)).isTrue();
        assertThat(data.getParent()).doesNotExist();
    }

    @Test
    void chosenPortIsUsedAndNamedWhenItIsTaken() throws Exception {
        int port = FreePorts.any();
        try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            assertThatExceptionOfType(DevServicesException.class)
                    .isThrownBy(() ->
                            DevPostgres.builder().port(taken.getLocalPort()).start())
                    .withMessageContaining("port " + port + " is in use by another process")
                    .withMessageNotContaining("\n");
        }
        try (DevPostgres postgres = DevPostgres.builder().port(port).start()) {
            assertThat(postgres.port()).isEqualTo(port);
            assertThat(postgres.jdbcUrl()).contains(":" + port + "/");

            postgres.stop();
            try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                assertThatExceptionOfType(DevServicesException.class)
                        .isThrownBy(postgres::restart)
                        .withMessageContaining("port " + taken.getLocalPort() + " is in use by another process")
                        .withMessageContaining("could not bind");
            }
        }
    }

    @Test
    void failedStartTellsWhatTheServerSaid() {
        assertThatExceptionOfType(DevServicesException.class)
                .isThrownBy(() ->
                        DevPostgres.builder().setting("no_such_setting", "1").start())
                .withMessageContaining("did not start")
                .withMessageContaining("unrecognized configuration parameter \"no_such_setting\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"port", "Listen_Addresses", "data_directory", "bad name"})
    void settingsThatWouldMoveTheServerAreRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DevPostgres.builder().setting(name, "1"))
                .withMessageContaining(name.toLowerCase(Locale.ROOT));
    }

    @Test
    void createsDatabasesThatKnowNothingOfEachOther() throws SQLException {
        DevPostgres postgres = DevPostgres.shared();
        String first = postgres.createDatabase("first_one");
        String second = postgres.createDatabase("second_one");

        try (Connection connection = DriverManager.getConnection(first, postgres.user(), postgres.password());
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE here AS SELECT 1");
        }
        try (Connection connection = DriverManager.getConnection(second, postgres.user(), postgres.password())) {
            assertThat(Sql.query(connection, "SELECT to_regclass('here') IS NULL"))
                    .isEqualTo("t");
        }
        assertThatExceptionOfType(DevServicesException.class)
                .isThrownBy(() -> postgres.createDatabase("first_one"))
                .withMessageContaining("already exists");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1st", "Upper", "a-b", "a;DROP TABLE b", "a\"b"})
    void oddDatabaseNamesAreRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DevPostgres.shared().createDatabase(name));
    }

    @Test
    void wrongPasswordIsRefused() {
        DevPostgres postgres = DevPostgres.shared();
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), "wrong"))
                .withMessageContaining("password authentication failed");
    }

    @Test
    void sharedServerIsOneAndOutlivesClose() throws SQLException {
        DevPostgres postgres = DevPostgres.shared();
        postgres.close();
        assertThat(DevPostgres.shared()).isSameAs(postgres);
        assertThat(Sql.query(postgres, "SELECT 1")).isEqualTo("1");
    }
}
