package dev.postrider.cli.settings;

/** The user asked for something that makes no sense. Nothing was done; the message says what is allowed. */
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }
}
