/** Supports the flow: how every thread of Postrider starts, goes on after a failure, and stops. */
@NullMarked
package dev.postrider.internal.lifecycle;

import org.jspecify.annotations.NullMarked;
