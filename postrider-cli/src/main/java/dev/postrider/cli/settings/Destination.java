package dev.postrider.cli.settings;

/** What events are delivered to. */
public enum Destination {
    KAFKA,
    WEBHOOK,
    LOG
}
