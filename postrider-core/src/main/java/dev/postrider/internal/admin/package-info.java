/** What {@code OutboxAdmin} and {@code LayoutChange} do step by step. */
@NullMarked
package dev.postrider.internal.admin;

import org.jspecify.annotations.NullMarked;
