package dev.postrider.internal.spring.event;

import dev.postrider.PostriderException;
import java.lang.reflect.Type;

/** A payload is not what a method takes. No retry changes that. */
public final class UnreadablePayloadException extends PostriderException {
    private static final long serialVersionUID = 1L;

    UnreadablePayloadException(Type type, String why) {
        super("The payload cannot be read as " + type.getTypeName() + ": " + why + ".");
    }
}
