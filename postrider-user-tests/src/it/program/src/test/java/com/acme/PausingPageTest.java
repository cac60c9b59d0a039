package com.acme;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxAdmin;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** docs/pausing.md */
class PausingPageTest {

    @Test
    void outboxIsPausedAndResumed() {
        DataSource dataSource = Servers.databaseWithOutbox();

        OutboxAdmin admin = OutboxAdmin.builder(dataSource).build();
        admin.pause("alice", "consumers move to the new cluster");
        admin.resume("alice");

        assertThat(admin.audit(10)).extracting(entry -> entry.action()).containsExactly("resume", "pause");
    }
}
