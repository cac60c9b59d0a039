package dev.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the doctor refuses to begin with. What is wrong around it is a finding instead. */
class DoctorInputTest {
    private static final String NO_DATABASE = "jdbc:postgresql://127.0.0.1:1/app";

    @TempDir
    Path directory;

    private Session session;

    @BeforeEach
    void begin() {
        session = new Session(directory);
    }

    @Test
    void helpHasAnExample() {
        assertThat(session.run("doctor", "--help")).isZero();
        assertThat(session.out()).contains("Usage: postrider doctor", "Example", "--json", "--kafka");
    }

    @Test
    void missingDatabaseIsMisuse() {
        assertRefused(session.run("doctor"), "db.url is needed");
    }

    @Test
    void settingsThatARelayWouldRefuseAreMisuse() {
        session.file("postrider.yml", "kafka: {bootstrap-servers: 'a:1', properties: {acks: 1}}");
        assertRefused(session.run("doctor", "--db-url", NO_DATABASE), "acks=1");

        session.file("postrider.yml", "kafka: {bootstrap-servers: 'a:1', routes: {a.b: 'not a topic'}}");
        assertRefused(session.run("doctor", "--db-url", NO_DATABASE), "not a topic");
    }

    @Test
    void unreachableDatabaseIsAFindingAndNoMisuse() {
        assertThat(session.run("doctor", "--db-url", NO_DATABASE)).isEqualTo(1);
        assertThat(session.out()).contains("ERROR    connection", "refused", "Not healthy: 1 error");
        assertThat(session.err()).isEmpty();
    }

    private void assertRefused(int status, String part) {
        assertThat(session.errLines()).as(session.err()).hasSize(1);
        assertThat(session.err()).contains(part);
        assertThat(session.out()).isEmpty();
        assertThat(status).isEqualTo(2);
    }
}
