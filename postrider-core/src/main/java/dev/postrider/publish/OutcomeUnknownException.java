package dev.postrider.publish;

/** A commit may or may not have taken place. */
public final class OutcomeUnknownException extends Exception {
    private static final long serialVersionUID = 1L;

    public OutcomeUnknownException(String message, Throwable cause) {
        super(message, cause);
    }
}
