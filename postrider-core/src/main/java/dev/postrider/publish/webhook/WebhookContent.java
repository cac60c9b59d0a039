package dev.postrider.publish.webhook;

/** The content of a request to a webhook. */
public enum WebhookContent {
    /** A CloudEvent as one JSON document, attributes and payload: a signature covers all of it. */
    STRUCTURED,
    /** The payload byte for byte, and the attributes of the CloudEvent as headers, which no signature covers. */
    BINARY,
    /** A message for people, made from a template, as Discord's webhooks expect it. */
    DISCORD
}
