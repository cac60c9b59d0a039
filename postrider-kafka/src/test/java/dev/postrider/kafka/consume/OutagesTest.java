package dev.postrider.kafka.consume;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutagesTest {
    @ParameterizedTest
    @ValueSource(strings = {"08006", "57P01", "57P03", "40001", "40P01"})
    void stateThatIsNotTheRecordsFaultCostsItNothing(String state) {
        assertThat(Outages.ofTheDatabase(new IllegalStateException(new SQLException("no", state))))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"23505", "22001", "42P01", "40003"})
    void stateThatComesAgainIsARetry(String state) {
        assertThat(Outages.ofTheDatabase(new SQLException("no", state))).isFalse();
    }

    @Test
    void poolWithoutConnectionIsAnOutage() {
        assertThat(Outages.ofTheDatabase(new SQLTransientConnectionException("no")))
                .isTrue();
        assertThat(Outages.ofTheDatabase(new IllegalStateException("no"))).isFalse();
        assertThat(Outages.ofTheDatabase(new SQLException("no"))).isFalse();
    }
}
