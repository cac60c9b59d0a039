/** Beside the flow: how the outbox and its relay are, at a cost that does not depend on the number of events. */
@NullMarked
package dev.postrider.internal.spring.health;

import org.jspecify.annotations.NullMarked;
