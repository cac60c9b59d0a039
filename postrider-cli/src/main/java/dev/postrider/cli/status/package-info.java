/** What is in an outbox, and how far its relays are. */
@NullMarked
package dev.postrider.cli.status;

import org.jspecify.annotations.NullMarked;
