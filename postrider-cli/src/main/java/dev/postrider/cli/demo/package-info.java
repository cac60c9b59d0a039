/**
 * The demonstration: a bank writes events, relays in processes of their own deliver them, a consumer
 * receives them, {@link dev.postrider.cli.demo.DeliveryProof} says whether everything promised was kept.
 */
@NullMarked
package dev.postrider.cli.demo;

import org.jspecify.annotations.NullMarked;
