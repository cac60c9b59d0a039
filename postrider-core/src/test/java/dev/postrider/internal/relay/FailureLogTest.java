package dev.postrider.internal.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.Logged;
import dev.postrider.internal.store.RowClaim;
import dev.postrider.internal.store.Settlement;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class FailureLogTest {

    @Test
    void failedAttemptIsWarnedOfWithItsEventAndItsNumber() {
        UUID event = UUID.randomUUID();
        Settlement.Failed third = new Settlement.Failed(
                new RowClaim(4711, "", 1, 1, 2, 0, Duration.ZERO), "refused", Duration.ofMillis(400), true);

        assertThat(Logged.during(() -> new FailureLog("one").add(event, third)))
                .singleElement()
                .asString()
                .contains(
                        "WARN",
                        "[one] event " + event + " (row 4711) failed at attempt 3, the next in 400 ms: refused");
    }
}
