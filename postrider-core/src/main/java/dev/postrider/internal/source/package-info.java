/**
 * Step 3 of 6: a way to read an outbox. A source also owns acknowledgement, so that every way shares
 * one relay loop.
 */
@NullMarked
package dev.postrider.internal.source;

import org.jspecify.annotations.NullMarked;
