package dev.postrider.internal.spring.relay;

import org.jspecify.annotations.Nullable;

/**
 * What is told after a commit that wrote events: the relay of this application, or relays elsewhere. Between them and the
 * outbox, so that an outbox can be made, and used by the publisher itself, before there is a relay. Any thread.
 */
public final class CommitSignal {
    private volatile @Nullable Runnable listener;

    public void committed() {
        Runnable told = listener;
        if (told != null) {
            told.run();
        }
    }

    void tell(@Nullable Runnable listener) {
        this.listener = listener;
    }
}
