package dev.postrider.devservices;

/** A server could not be started, stopped or used. The message says what happened and what to do about it. */
public final class DevServicesException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    DevServicesException(String message) {
        super(message);
    }

    DevServicesException(String message, Throwable cause) {
        super(message, cause);
    }
}
