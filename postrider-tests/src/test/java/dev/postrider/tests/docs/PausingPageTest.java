package dev.postrider.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxAdmin;
import dev.postrider.tests.support.TestDatabase;
import java.io.IOException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** The code that the page about pausing shows: it is compiled and run here. */
class PausingPageTest {

    @Test
    void outboxIsPausedAndResumed() {
        try (TestDatabase database = TestDatabase.withOutbox()) {
            DataSource dataSource = database.dataSource();
            // snippet: pause
            OutboxAdmin admin = OutboxAdmin.builder(dataSource).build();
            admin.pause("alice", "consumers move to the new cluster");
            admin.resume("alice");
            // end
            assertThat(admin.audit(10)).extracting(entry -> entry.action()).containsExactly("resume", "pause");
        }
    }

    @Test
    void pageShowsThisCode() throws IOException {
        Snippets.assertThatPageShowsAll("docs/pausing.md", PausingPageTest.class);
    }
}
