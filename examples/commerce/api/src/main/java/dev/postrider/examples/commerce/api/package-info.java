/**
 * The shop: a {@link dev.postrider.examples.commerce.api.Catalog} of products that are viewed and liked, {@link
 * dev.postrider.examples.commerce.api.Orders} and {@link dev.postrider.examples.commerce.api.Payments}. Whatever happens is
 * written as a domain event in the same transaction; the relay sends these to Kafka. How, is in {@code application.yml}.
 */
@NullMarked
package dev.postrider.examples.commerce.api;

import org.jspecify.annotations.NullMarked;
