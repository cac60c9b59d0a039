/** What keeps an application from starting, told with what can be done about it. */
@NullMarked
package dev.postrider.internal.spring.failure;

import org.jspecify.annotations.NullMarked;
