/**
 * What happens in the shop, in its own words. Nothing here knows of Kafka, JSON or Postrider, and a test sees to it: how
 * events get out is the business of {@code EventEnvelopes}.
 */
@NullMarked
package dev.postrider.examples.commerce.api.event;

import org.jspecify.annotations.NullMarked;
