package dev.postrider.internal.spring.endpoint;

import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxTable;
import dev.postrider.internal.spring.relay.RelayDestination;
import dev.postrider.internal.spring.relay.RelayLifecycle;
import org.jspecify.annotations.Nullable;

/**
 * An outbox that endpoints show and change.
 *
 * @param relay null in an application that only writes to it
 * @param destination the same
 */
public record OperatedOutbox(
        String name,
        OutboxAdmin admin,
        OutboxTable table,
        @Nullable RelayLifecycle relay,
        @Nullable RelayDestination destination) {}
