/**
 * Follows parcels. {@link dev.postrider.examples.logistics.tracking.Tracking} reads the order events, {@link
 * dev.postrider.examples.logistics.tracking.Parcels} handles each of them once.
 */
@NullMarked
package dev.postrider.examples.logistics.tracking;

import org.jspecify.annotations.NullMarked;
