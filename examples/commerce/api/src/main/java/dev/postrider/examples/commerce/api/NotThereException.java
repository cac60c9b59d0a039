package dev.postrider.examples.commerce.api;

import java.io.Serial;

/** What somebody asks for is not there. */
final class NotThereException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    NotThereException(String message) {
        super(message);
    }
}
