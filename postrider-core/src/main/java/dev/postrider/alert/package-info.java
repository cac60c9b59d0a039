/**
 * Beside the way: telling people of trouble. {@link dev.postrider.internal.alert.AlertMonitor} decides by
 * {@link dev.postrider.alert.AlertRules} and tells every {@link dev.postrider.alert.AlertChannel};
 * nothing here makes a relay wait.
 */
@NullMarked
package dev.postrider.alert;

import org.jspecify.annotations.NullMarked;
