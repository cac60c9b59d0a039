/** Step 1 in Spring: domain events become outbox events. */
@NullMarked
package dev.postrider.internal.spring.event;

import org.jspecify.annotations.NullMarked;
