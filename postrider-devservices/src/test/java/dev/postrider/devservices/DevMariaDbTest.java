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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@EnabledOnOs(
        value = OS.LINUX,
        architectures = {"amd64", "x86_64"})
class DevMariaDbTest {

    @Test
    void committedRowsSurviveAStopAndAKillOnTheSamePortAndDirectory(@TempDir Path directory) throws SQLException {
        DevMariaDb.Builder builder = DevMariaDb.builder().dataDirectory(directory.resolve("made on demand"));
        try (DevMariaDb mariaDb = builder.start()) {
            String url = mariaDb.jdbcUrl();
            execute(mariaDb, "CREATE TABLE kept AS SELECT 1 AS n");
            assertThatExceptionOfType(DevServicesException.class)
                    .isThrownBy(builder::start)
                    .withMessageContaining("in use");

            mariaDb.stop();
            assertThat(mariaDb.isRunning()).isFalse();
            mariaDb.restart();
            execute(mariaDb, "INSERT INTO kept VALUES (2)");

            try (Connection witness = connect(mariaDb);
                    Statement open = witness.createStatement()) {
                witness.setAutoCommit(false);
                open.execute("INSERT INTO kept VALUES (1000)");
                ProcessHandle server = ProcessHandle.of(mariaDb.pid()).orElseThrow();
                mariaDb.kill();
                assertThat(ServerProcess.hasEnded(server)).isTrue();
                assertThatIllegalStateException().isThrownBy(mariaDb::pid).withMessageContaining("restart()");
                mariaDb.restart();
                assertThatExceptionOfType(SQLException.class).isThrownBy(() -> open.execute("SELECT 1"));
            }

            assertThat(query(mariaDb, "SELECT sum(n) FROM kept")).isEqualTo("3");
            assertThat(mariaDb.jdbcUrl()).isEqualTo(url);
        }
        try (DevMariaDb second = builder.start()) {
            assertThat(query(second, "SELECT sum(n) FROM kept")).isEqualTo("3");
        }
    }

    @Test
    void defaultsAreThoseOfADurableServer() throws SQLException {
        DevMariaDb mariaDb = DevMariaDb.shared();

        assertThat(query(mariaDb, "SELECT @@innodb_flush_log_at_trx_commit")).isEqualTo("1");
        assertThat(query(mariaDb, "SELECT @@innodb_doublewrite")).startsWith("ON");
        assertThat(query(mariaDb, "SELECT @@bind_address")).isEqualTo("127.0.0.1");
        assertThat(query(mariaDb, "SELECT @@max_connections")).isEqualTo("200");
        assertThat(query(mariaDb, "SELECT @@character_set_database")).isEqualTo("utf8mb4");
        assertThat(query(mariaDb, "SELECT @@tx_isolation")).isEqualTo("REPEATABLE-READ");
        assertThat(query(mariaDb, "SELECT @@time_zone")).isEqualTo("+00:00");
    }

    @Test
    void nothingStaysOfATemporaryServerThatWasKilled() throws SQLException {
        DevMariaDb mariaDb = DevMariaDb.builder()
                .setting("init_connect", "set @mood = \"it's \\\\ fine\"")
                .start();
        Path data = Path.of(query(mariaDb, "SELECT @@datadir"));
        assertThat(data).isDirectory();
        assertThat(query(mariaDb, "SELECT @@init_connect")).isEqualTo("set @mood = \"it's \\\\ fine\"");

        mariaDb.kill();
        Thread.currentThread().interrupt();
        mariaDb.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(data.getParent()).doesNotExist();
        assertThatIllegalStateException().isThrownBy(mariaDb::restart).withMessageContaining("closed");
        mariaDb.close();
    }

    @Test
    void failedStartTellsWhyAndWhatTheServerSaid() throws Exception {
        int port = FreePorts.any();
        try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            assertThatExceptionOfType(DevServicesException.class)
                    .isThrownBy(() ->
                            DevMariaDb.builder().port(taken.getLocalPort()).start())
                    .withMessageContaining("port " + port + " is in use by another process");
        }
        assertThatExceptionOfType(DevServicesException.class)
                .isThrownBy(() ->
                        DevMariaDb.builder().setting("no_such_setting", "1").start())
                .withMessageContaining("did not start")
                .withMessageContaining("no_such_setting");
    }

    @ParameterizedTest
    @ValueSource(strings = {"port", "Bind-Address", "datadir", "bad name"})
    void settingsThatWouldMoveTheServerAreRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DevMariaDb.builder().setting(name, "1"));
    }

    @Test
    void sharedServerIsOneOutlivesCloseAndAsksForItsPassword() throws SQLException {
        DevMariaDb mariaDb = DevMariaDb.shared();
        mariaDb.close();
        assertThat(DevMariaDb.shared()).isSameAs(mariaDb);
        String url = mariaDb.createDatabase("first_one");
        try (Connection connection = DriverManager.getConnection(url, mariaDb.user(), mariaDb.password())) {
            assertThat(Sql.query(connection, "SELECT database()")).isEqualTo("first_one");
        }
        assertThatExceptionOfType(DevServicesException.class)
                .isThrownBy(() -> mariaDb.createDatabase("first_one"))
                .withMessageContaining("exists");
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> DriverManager.getConnection(url, mariaDb.user(), "wrong"))
                .withMessageContaining("Access denied");
    }

    private static void execute(DevMariaDb mariaDb, String sql) throws SQLException {
        try (Connection connection = connect(mariaDb);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String query(DevMariaDb mariaDb, String sql) throws SQLException {
        try (Connection connection = connect(mariaDb)) {
            return Sql.query(connection, sql);
        }
    }

    private static Connection connect(DevMariaDb mariaDb) throws SQLException {
        return DriverManager.getConnection(mariaDb.jdbcUrl(), mariaDb.user(), mariaDb.password());
    }
}
