/** Alerts to chat rooms and anything else that accepts a POST. */
@NullMarked
package dev.postrider.alert.webhook;

import org.jspecify.annotations.NullMarked;
