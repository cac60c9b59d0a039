/** Events of the application's own outbox, handled by methods of its beans. */
@NullMarked
package dev.postrider.internal.spring.handler;

import org.jspecify.annotations.NullMarked;
