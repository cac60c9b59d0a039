/**
 * What events can be delivered to: {@link dev.postrider.cli.configuration.Destinations} lists it, a {@link
 * dev.postrider.cli.destination.Destination} is one kind with its settings, and an {@link
 * dev.postrider.cli.destination.EventTarget} is one as it is set.
 */
@NullMarked
package dev.postrider.cli.destination;

import org.jspecify.annotations.NullMarked;
