package dev.postrider.kafka.consume;

/** A record cannot be read as a CloudEvent, and will never be. */
public final class NotACloudEventException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * @param why completes the sentence "The record is no CloudEvent: …"
     */
    NotACloudEventException(String why) {
        super("The record is no CloudEvent: " + why + ".");
    }
}
