/** What webhooks for alerts and webhooks for events have in common. */
@NullMarked
package dev.postrider.http;

import org.jspecify.annotations.NullMarked;
