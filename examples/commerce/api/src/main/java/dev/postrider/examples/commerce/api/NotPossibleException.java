package dev.postrider.examples.commerce.api;

import java.io.Serial;

/** What somebody wants cannot be done as things are. */
final class NotPossibleException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    NotPossibleException(String message) {
        super(message);
    }
}
