package dev.postrider.examples.transfer;

import dev.postrider.spring.MappedEvent;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.UUID;

/** What the world is told of a transfer. It is JSON with these names. */
@MappedEvent(type = "TransferCompleted", aggregateType = "Transfer", aggregateId = "transferId")
public record TransferCompleted(UUID transferId, long from, long to, BigDecimal amount, Instant at) {

    static TransferCompleted of(Transfer transfer) {
        return new TransferCompleted(transfer.id(), transfer.from(), transfer.to(), transfer.amount(), transfer.at());
    }
}
