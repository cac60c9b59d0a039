package dev.postrider;

import org.jspecify.annotations.Nullable;

/**
 * Something Postrider was asked to do cannot be done. The message says what happened and what can
 * be done about it, and never carries a payload or a password.
 */
public class PostriderException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public PostriderException(String message) {
        super(message);
    }

    public PostriderException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
