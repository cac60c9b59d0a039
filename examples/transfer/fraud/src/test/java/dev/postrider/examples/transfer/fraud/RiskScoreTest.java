package dev.postrider.examples.transfer.fraud;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RiskScoreTest {

    @ParameterizedTest
    @CsvSource({"12.50, 0", "3000.00, 20", "8999.99, 0", "9500.00, 70", "9000, 90", "10000.00, 70", "12345.00, 50"})
    void largeRoundOrJustBelowLargeIsSuspicious(BigDecimal amount, int score) {
        assertThat(RiskScore.of(new TransferCompleted(UUID.randomUUID(), 1, 2, amount)))
                .isEqualTo(score);
    }
}
