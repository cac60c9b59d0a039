package dev.postrider.internal.store;

import dev.postrider.OutboxTable;

/** What a connection can be unwrapped to that leads to no database, and brings the stores that know where it leads. */
public interface ConnectionWithStores {

    OutboxStore outboxStore(OutboxTable table);

    InboxStore inboxStore(OutboxTable table);
}
