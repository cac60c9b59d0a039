/**
 * The operators' commands: {@code dead}, {@code restore}, {@code replay} and {@code audit}, which ask before they change
 * something, and {@code alter} and {@code adopt}, for which relays stand still. What they do is in {@code
 * dev.postrider.admin}.
 */
@NullMarked
package dev.postrider.cli.admin;

import org.jspecify.annotations.NullMarked;
