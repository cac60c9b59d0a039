/**
 * Moves money between accounts: {@link dev.postrider.examples.transfer.BankController} over HTTP, {@link
 * dev.postrider.examples.transfer.Bank} in the database, with a {@link
 * dev.postrider.examples.transfer.TransferCompleted} in the same transaction. The relay sends these to Kafka; how, is in {@code
 * application.yml}.
 */
@NullMarked
package dev.postrider.examples.transfer;

import org.jspecify.annotations.NullMarked;
