/** Step 4 in Spring: the relay in the application's life, with connections and a destination of its own. */
@NullMarked
package dev.postrider.internal.spring.relay;

import org.jspecify.annotations.NullMarked;
