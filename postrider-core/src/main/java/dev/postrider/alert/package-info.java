/**
 * Which problems people are alerted to, and through which {@link dev.postrider.alert.AlertChannel}. {@code
 * internal.alert} decides by {@link dev.postrider.alert.AlertRules}; nothing here makes a relay wait.
 */
@NullMarked
package dev.postrider.alert;

import org.jspecify.annotations.NullMarked;
