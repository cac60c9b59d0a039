package dev.postrider.admin;

import dev.postrider.PostriderException;
import org.jspecify.annotations.Nullable;

/** A replay could not continue. The message says how far it came, and how to go on. */
public final class ReplayStoppedException extends PostriderException {
    private static final long serialVersionUID = 1L;

    private final long sent;
    private final long lastId;

    public ReplayStoppedException(String message, long sent, long lastId, @Nullable Throwable cause) {
        super(message, cause);
        this.sent = sent;
        this.lastId = lastId;
    }

    /** How many events the destination has accepted. */
    public long sent() {
        return sent;
    }

    /** Everything up to this id was accepted; a replay after this id continues from here. */
    public long lastId() {
        return lastId;
    }
}
