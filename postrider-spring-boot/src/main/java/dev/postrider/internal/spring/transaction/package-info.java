/** Beside the flow, in Spring: which data source the outbox is in, and the transaction of the calling thread. */
@NullMarked
package dev.postrider.internal.spring.transaction;

import org.jspecify.annotations.NullMarked;
