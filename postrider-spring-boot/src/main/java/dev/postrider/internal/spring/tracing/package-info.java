/** Steps 1 and 5 with tracing: an event carries the trace that it is written in, and each attempt to send it is a span of that trace. */
@NullMarked
package dev.postrider.internal.spring.tracing;

import org.jspecify.annotations.NullMarked;
