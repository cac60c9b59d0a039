package dev.postrider.internal.spring.failure;

import dev.postrider.PostriderException;
import org.jspecify.annotations.Nullable;

/** The application cannot start as it is set up. */
public final class PostriderStartException extends PostriderException {
    private static final long serialVersionUID = 1L;

    private final String description;
    private final String action;

    /**
     * @param description what is wrong
     * @param action what can be done about it
     */
    public PostriderStartException(String description, String action) {
        this(description, action, null);
    }

    public PostriderStartException(String description, String action, @Nullable Throwable cause) {
        super(description + " " + action, cause);
        this.description = description;
        this.action = action;
    }

    public String description() {
        return description;
    }

    public String action() {
        return action;
    }
}
