package dev.postrider.kafka.redrive;

import org.jspecify.annotations.Nullable;

/**
 * What a run has done.
 *
 * @param sent how many records the brokers have acknowledged
 * @param complete whether everything was sent that the plan had
 * @param failure why the run ended early, for people; null if it did not, or was asked to stop
 */
public record RedriveReport(
        long sent, boolean complete, @Nullable String failure) {}
