package dev.postrider.examples.transfer.fraud;

import java.math.BigDecimal;

/** How suspicious a transfer is: from 0 to 100. */
final class RiskScore {
    private static final BigDecimal LARGE = new BigDecimal(10_000);
    private static final BigDecimal JUST_BELOW = new BigDecimal(9_000);
    private static final BigDecimal ROUND = new BigDecimal(1_000);

    private RiskScore() {}

    static int of(TransferCompleted transfer) {
        BigDecimal amount = transfer.amount();
        int score = 0;
        if (amount.compareTo(LARGE) >= 0) {
            score += 50;
        } else if (amount.compareTo(JUST_BELOW) >= 0) {
            // Somebody who knows from which amount on transfers are looked at.
            score += 70;
        }
        if (amount.remainder(ROUND).signum() == 0) {
            score += 20;
        }
        return score;
    }
}
