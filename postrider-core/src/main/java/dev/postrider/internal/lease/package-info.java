/** Supports the flow: who is alive, by the database's clock. */
@NullMarked
package dev.postrider.internal.lease;

import org.jspecify.annotations.NullMarked;
