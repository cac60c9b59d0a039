package dev.postrider.internal.spring.listener;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/** What a method that acknowledges itself gets, for one call. The thread that calls the method. */
final class OwnAcknowledgment implements Acknowledgment {
    private final Thread thread = Thread.currentThread();
    private boolean acknowledged;
    private @Nullable Duration notNow;
    private boolean over;

    @Override
    public void acknowledge() {
        requireCall();
        acknowledged = true;
    }

    /** Once more after this time, which costs no retry. */
    @Override
    public void nack(Duration sleep) {
        requireCall();
        notNow = sleep.isNegative() ? Duration.ZERO : sleep;
    }

    private void requireCall() {
        if (over || Thread.currentThread() != thread) {
            throw new IllegalStateException(
                    "A listener acknowledges before it returns and on the thread that it is called on: the record is committed"
                            + " when it has returned.");
        }
    }

    /** The call is over. */
    void end() {
        over = true;
    }

    boolean isAcknowledged() {
        return acknowledged && notNow == null;
    }

    @Nullable
    Duration notNow() {
        return notNow;
    }
}
