/** Beside the flow: the operators' tools as endpoints of Actuator, over HTTP. */
@NullMarked
package dev.postrider.internal.spring.endpoint;

import org.jspecify.annotations.NullMarked;
