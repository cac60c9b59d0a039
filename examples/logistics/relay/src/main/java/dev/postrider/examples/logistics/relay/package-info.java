/** {@link dev.postrider.examples.logistics.relay.EmbeddedRelay} is the relay inside of an application. */
@NullMarked
package dev.postrider.examples.logistics.relay;

import org.jspecify.annotations.NullMarked;
