package dev.postrider.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.Outbox;
import dev.postrider.PostriderException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.jdbc.core.JdbcTemplate;

/** A slice with the database in memory that Spring Boot puts in the place of the application's. */
@JdbcTest(properties = "postrider.devservices.enabled=false")
class EmbeddedSliceTest {
    @Autowired
    private JdbcTemplate jdbc;

    @Autowired
    private Outbox outbox;

    @Autowired
    private WrittenEvents written;

    @Test
    void testThatHasNothingToDoWithEventsRuns() {
        assertThat(jdbc.queryForObject("select 1", Integer.class)).isEqualTo(1);
    }

    @Test
    void whatNeedsAnOutboxIsToldThatThereIsNone() {
        assertThatThrownBy(() -> outbox.write(new OrderPlaced("o-1", 1)))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("H2");
        assertThatThrownBy(written::all).isInstanceOf(PostriderException.class).hasMessageContaining("H2");
    }
}
