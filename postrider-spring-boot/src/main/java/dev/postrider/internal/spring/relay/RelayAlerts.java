package dev.postrider.internal.spring.relay;

import dev.postrider.alert.AlertChannel;
import dev.postrider.alert.AlertRules;
import java.util.List;
import java.util.function.Supplier;

/**
 * What is told to whom.
 *
 * @param channels for the next run of the relay, which closes them
 */
public record RelayAlerts(AlertRules rules, Supplier<List<AlertChannel>> channels) {}
