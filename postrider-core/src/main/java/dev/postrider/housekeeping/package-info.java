/**
 * Beside the way: what has to be done now and then for the outbox as a whole, by one instance at a
 * time under a lease.
 */
@NullMarked
package dev.postrider.housekeeping;

import org.jspecify.annotations.NullMarked;
