package dev.postrider.kafka.redrive;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * What a {@link RedriveRequest} means for the records that are in the dead letter topic now. Records that come later are not
 * part of it: so a record that dies again is not sent again and again.
 *
 * @param request what was asked for
 * @param groups the records that match and were not sent before, counted; those of the first topic first, more before fewer
 * @param matching how many these are together, whatever the limit
 * @param sentBefore how many records match and were sent to their topic by an earlier run
 * @param withoutOrigin how many records match and do not say where they came from; they are left where they are
 * @param problems what is wrong with topics that records would be sent to, by topic; with a problem nothing is sent
 * @param ends where the partitions of the dead letter topic ended
 */
public record RedrivePlan(
        RedriveRequest request,
        List<Group> groups,
        long matching,
        long sentBefore,
        long withoutOrigin,
        Map<String, String> problems,
        Map<TopicPartition, Long> ends) {

    public RedrivePlan {
        groups = List.copyOf(groups);
        problems = Map.copyOf(problems);
        ends = Map.copyOf(ends);
    }

    /** How many records a run sends. */
    public long toSend() {
        return Math.min(matching, request.limit());
    }

    /**
     * Records that are alike.
     *
     * @param topic where they go
     * @param reason class of the exception they died of
     * @param redriven how often they were sent back and died again
     * @param records how many there are
     */
    public record Group(String topic, String reason, int redriven, long records) {}
}
