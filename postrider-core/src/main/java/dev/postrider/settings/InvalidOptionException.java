package dev.postrider.settings;

import dev.postrider.PostriderException;

/** An option has an invalid value. The message names the option, the value unless it is secret, and what is allowed. */
public final class InvalidOptionException extends PostriderException {
    private static final long serialVersionUID = 1L;

    InvalidOptionException(String origin, String value, String allowed) {
        super(origin + " is " + value + "; it must be " + allowed + ".");
    }
}
