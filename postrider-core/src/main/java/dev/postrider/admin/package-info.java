/**
 * Beside the flow: what operators do. {@link dev.postrider.OutboxAdmin} looks at dead letters,
 * sends them again or discards them, brings back those of the file, and sends published events once
 * more; everything that changes something leaves an entry behind. The command line is built on it.
 */
@NullMarked
package dev.postrider.admin;

import org.jspecify.annotations.NullMarked;
