package dev.postrider.internal.lease;

import java.util.Map;
import java.util.Set;

/** The shards of a log that a relay, or one of its threads, may read. */
public interface HeldShards {

    /** Each with how often it has been taken from dead relays since it last made progress. */
    Map<Integer, Integer> held();

    /** Those of them that are to be handed over. */
    Set<Integer> leaving();

    /** A shard has been given up, or lost. */
    void released(int shard);

    /** A shard's events have been recorded: whatever happened to its former owners does not happen here. */
    void progressed(int shard);
}
