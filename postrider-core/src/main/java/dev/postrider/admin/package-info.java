/** Parameters and results of {@link dev.postrider.OutboxAdmin} and {@link dev.postrider.LayoutChange}. */
@NullMarked
package dev.postrider.admin;

import org.jspecify.annotations.NullMarked;
