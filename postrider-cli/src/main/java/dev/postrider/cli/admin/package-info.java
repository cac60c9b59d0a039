/**
 * The operators' commands: {@code dead}, {@code restore}, {@code replay} and {@code audit}. They ask
 * before they change something; what they do is in {@code dev.postrider.admin}.
 */
@NullMarked
package dev.postrider.cli.admin;

import org.jspecify.annotations.NullMarked;
