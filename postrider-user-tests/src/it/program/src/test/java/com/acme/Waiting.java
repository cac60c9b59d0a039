package com.acme;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Waits long enough for a machine that is busy. */
final class Waiting {
    private Waiting() {}

    static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofMinutes(1));
    }
}
