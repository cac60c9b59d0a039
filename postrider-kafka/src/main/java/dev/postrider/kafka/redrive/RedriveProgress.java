package dev.postrider.kafka.redrive;

/**
 * How far a plan or a run has come.
 *
 * @param read how many offsets of the dead letter topic were read
 * @param of how many there are to read
 * @param sent how many records the brokers have acknowledged; 0 while planning
 */
public record RedriveProgress(long read, long of, long sent) {}
