package dev.postrider.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.jdbc.core.JdbcTemplate;

@JdbcTest
class JdbcSliceTest extends WrittenEventsContract {

    /** H2 is on the class path, and would be taken for a test otherwise. */
    @Test
    void databaseIsARealOne(@Autowired JdbcTemplate jdbc) {
        assertThat(jdbc.execute(
                        (Connection connection) -> connection.getMetaData().getDatabaseProductName()))
                .isEqualTo("PostgreSQL");
    }
}
