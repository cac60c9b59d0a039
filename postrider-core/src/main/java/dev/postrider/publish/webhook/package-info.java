/**
 * Webhooks as a destination: {@link dev.postrider.publish.webhook.WebhookPublisher}, how an event becomes a request,
 * and what the response means.
 */
@NullMarked
package dev.postrider.publish.webhook;

import org.jspecify.annotations.NullMarked;
