/** namastack-outbox, a polling outbox for Spring. */
@NullMarked
package dev.postrider.bench.contender.namastack;

import org.jspecify.annotations.NullMarked;
