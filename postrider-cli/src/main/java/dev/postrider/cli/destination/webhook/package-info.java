/** Webhooks as a destination. */
@NullMarked
package dev.postrider.cli.destination.webhook;

import org.jspecify.annotations.NullMarked;
