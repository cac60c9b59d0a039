/** What operators ask of {@link dev.postrider.OutboxAdmin} and {@link dev.postrider.LayoutChange}, and what they are answered. */
@NullMarked
package dev.postrider.admin;

import org.jspecify.annotations.NullMarked;
