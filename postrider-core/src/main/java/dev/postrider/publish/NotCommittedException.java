package dev.postrider.publish;

/** A commit was refused before it began: nothing was committed, and the transaction can be aborted. */
public final class NotCommittedException extends Exception {
    private static final long serialVersionUID = 1L;

    public NotCommittedException(String message) {
        super(message);
    }
}
