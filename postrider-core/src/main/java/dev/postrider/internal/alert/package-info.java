/** Supports the flow: decides what is worth an alert, and words it. */
@NullMarked
package dev.postrider.internal.alert;

import org.jspecify.annotations.NullMarked;
