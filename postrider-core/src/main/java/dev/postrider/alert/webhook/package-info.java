/** Alerts to chat rooms and whatever else takes a POST. */
@NullMarked
package dev.postrider.alert.webhook;

import org.jspecify.annotations.NullMarked;
