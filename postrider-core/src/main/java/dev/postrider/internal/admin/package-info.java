/** Supports the flow: the steps of {@code OutboxAdmin} and {@code LayoutChange}. */
@NullMarked
package dev.postrider.internal.admin;

import org.jspecify.annotations.NullMarked;
