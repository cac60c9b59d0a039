package dev.postrider.publish;

import dev.postrider.PostriderException;

/** An event's type has no destination. */
public final class UnroutableEventException extends PostriderException {
    private static final long serialVersionUID = 1L;

    public UnroutableEventException(String message) {
        super(message);
    }
}
