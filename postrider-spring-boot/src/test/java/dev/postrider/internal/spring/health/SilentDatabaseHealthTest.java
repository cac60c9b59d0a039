package dev.postrider.internal.spring.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxTable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** A server that takes connections and says nothing. */
class SilentDatabaseHealthTest {

    @Test
    void healthIsDownWithoutWaitingForAnAnswerAndAsksOnce() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            PGSimpleDataSource dataSource = new PGSimpleDataSource();
            dataSource.setServerNames(new String[] {"127.0.0.1"});
            dataSource.setPortNumbers(new int[] {silent.getLocalPort()});
            dataSource.setDatabaseName("nowhere");
            OutboxHealth health = new OutboxHealth(new OutboxLook(dataSource, OutboxTable.DEFAULT), null, null);

            for (int asked = 0; asked < 2; asked++) {
                Health now = health.health();
                assertThat(now.getStatus()).isEqualTo(Status.DOWN);
                assertThat(now.getDetails().get("outbox").toString()).contains("The database does not answer.");
            }
            assertThat(Thread.getAllStackTraces().keySet().stream()
                            .filter(thread -> thread.getName().equals("postrider-health-outbox")))
                    .hasSize(1);
        }
    }
}
