package com.acme;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** README.md: the service and its consumer; {@link PaymentsTest} is its unit test. */
class QuickStartTest {
    @Test
    void committedTransferArrivesAndIsMarked() throws Exception {
        DataSource dataSource = Servers.emptyDatabase();
        String bootstrapServers = Servers.kafkaWithTransferEvents();

        CompletableFuture.runAsync(() -> run(dataSource, bootstrapServers)).get(120, TimeUnit.SECONDS);

        // Events of other tests may have come to the same topic.
        assertThat(Servers.column(dataSource, "select * from inbox")).isNotEmpty();
    }

    private static void run(DataSource dataSource, String bootstrapServers) {
        try {
            Application.run(dataSource, bootstrapServers);
        } catch (Exception e) {
            throw new CompletionException(e);
        }
    }
}
