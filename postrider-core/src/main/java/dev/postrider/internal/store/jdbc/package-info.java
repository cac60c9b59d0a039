/**
 * What databases have in common. {@link dev.postrider.internal.store.jdbc.Database} is one of them; the SQL of each is in a
 * package of its own.
 */
@NullMarked
package dev.postrider.internal.store.jdbc;

import org.jspecify.annotations.NullMarked;
