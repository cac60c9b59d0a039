/** Methods that are called once for each event or action, and what forgets old marks. */
@NullMarked
package dev.postrider.internal.spring.inbox;

import org.jspecify.annotations.NullMarked;
