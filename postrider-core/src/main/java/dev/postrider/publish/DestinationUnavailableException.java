package dev.postrider.publish;

/** A destination could not be prepared. */
public final class DestinationUnavailableException extends Exception {
    private static final long serialVersionUID = 1L;

    public DestinationUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
