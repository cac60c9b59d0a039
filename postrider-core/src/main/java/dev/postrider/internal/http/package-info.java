/** What webhooks for alerts and webhooks for events have in common. */
@NullMarked
package dev.postrider.internal.http;

import org.jspecify.annotations.NullMarked;
