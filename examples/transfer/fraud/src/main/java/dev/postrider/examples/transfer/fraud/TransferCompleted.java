package dev.postrider.examples.transfer.fraud;

import java.math.BigDecimal;
import java.util.UUID;

/** What this application wants to know of a transfer; the event may say more. */
record TransferCompleted(UUID transferId, long from, long to, BigDecimal amount) {}
