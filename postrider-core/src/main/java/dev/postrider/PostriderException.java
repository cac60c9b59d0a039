package dev.postrider;

import org.jspecify.annotations.Nullable;

/**
 * Postrider cannot do what it was asked to do. The message says what happened and what you can do about it, and never
 * contains a payload or a password.
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
