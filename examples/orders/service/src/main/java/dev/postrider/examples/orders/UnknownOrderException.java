package dev.postrider.examples.orders;

import java.io.Serial;
import java.util.UUID;

/** There is no such order. */
public final class UnknownOrderException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    UnknownOrderException(UUID id) {
        super("There is no order " + id + ".");
    }
}
