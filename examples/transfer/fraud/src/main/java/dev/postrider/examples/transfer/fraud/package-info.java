/**
 * Watches the money: {@link dev.postrider.examples.transfer.fraud.FraudDetection} reads transfers from Kafka, {@link
 * dev.postrider.examples.transfer.fraud.RiskScore} judges each, and the table {@code risk_log} has each once.
 */
@NullMarked
package dev.postrider.examples.transfer.fraud;

import org.jspecify.annotations.NullMarked;
