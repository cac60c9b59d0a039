/**
 * The operators' commands: {@code dead}, {@code restore}, {@code replay} and {@code audit}, which ask before they
 * change something, and {@code alter} and {@code adopt}, for which relays must be stopped. Their work is done in {@code
 * dev.postrider.internal.admin}.
 */
@NullMarked
package dev.postrider.cli.admin;

import org.jspecify.annotations.NullMarked;
