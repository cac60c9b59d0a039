package dev.postrider.publish;

import dev.postrider.PostriderException;

/** An event that cannot become a message its consumers could read: sending it later would change nothing. */
public final class InvalidEventException extends PostriderException {
    private static final long serialVersionUID = 1L;

    private static final String ERROR_CLASS = "invalid-cloudevent";

    public InvalidEventException(String message) {
        super(message);
    }

    public PublishResult.Rejected result() {
        return new PublishResult.Rejected(ERROR_CLASS, String.valueOf(getMessage()), true);
    }
}
