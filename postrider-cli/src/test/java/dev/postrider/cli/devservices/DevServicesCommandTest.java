package dev.postrider.cli.devservices;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.Session;
import dev.postrider.cli.devservices.DevServers.RunningDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the command does before there is a server. */
class DevServicesCommandTest {
    @TempDir
    Path directory;

    private Session session;

    @BeforeEach
    void begin() {
        session = new Session(directory);
    }

    @Test
    void quickStartOfTheReadmeHasTheLinesThatAreExported() throws IOException {
        String url = "jdbc:postgresql://127.0.0.1:" + DevServicesCommand.POSTGRES_PORT + "/postgres";
        RunningDatabase database =
                RunningDatabase.postgres(url, DevServicesCommand.POSTGRES_PORT, "postgres", "postgres");

        assertThat(Files.readString(Path.of("..", "README.md")))
                .contains(DevServers.exports(database, "127.0.0.1:" + DevServicesCommand.KAFKA_PORT));
    }

    @Test
    void portThatIsAskedForAndTakenIsOneClearError() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(taken.getLocalPort());

            assertThat(session.run("devservices", "--kafka-port", port)).isEqualTo(1);
            assertThat(session.errLines())
                    .containsExactly("postrider: Kafka was not started: port " + port
                            + " is in use by another process; end that one, or choose another port.");
            assertThat(session.out()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "--kafka-port, 0, from 1 to 65535",
        "--postgres-port, many, from 1 to 65535",
        "--mariadb-port, 3306, which --mariadb asks for"
    })
    void portsThatMakeNoSenseAreRefused(String option, String value, String part) {
        assertThat(session.run("devservices", option, value)).isEqualTo(2);
        assertThat(session.errLines()).hasSize(1).allMatch(line -> line.contains(option) && line.contains(part));
    }

    @Test
    void portsOfThreeBrokersMustAllExist() {
        assertThat(session.run("devservices", "--brokers", "3", "--kafka-port", "65534"))
                .isEqualTo(2);
        assertThat(session.err()).contains("--kafka-port is [65534]", "from 1 to 65533");
    }

    @Test
    void portOfTheOtherDatabaseIsRefused() {
        assertThat(session.run("devservices", "--mariadb", "--postgres-port", "5432"))
                .isEqualTo(2);
        assertThat(session.err()).contains("--postgres-port is for PostgreSQL");
    }
}
