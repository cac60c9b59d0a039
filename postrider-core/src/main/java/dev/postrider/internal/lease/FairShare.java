package dev.postrider.internal.lease;

import dev.postrider.internal.store.log.LogStore.Shares.Member;
import java.util.List;

/**
 * How many shards a relay is to have. All relays come to the same result from the same list, oldest first, so that nothing
 * moves without need.
 *
 * <ol>
 *   <li>Relays that can deliver share evenly.
 *   <li>One whose circuit has not been closed for a while has nothing, as long as another's is closed: what it holds would only
 *       wait. When its circuit is half-open it has one shard to try with, if that leaves one for each of the others.
 *   <li>If no circuit is closed, all share evenly.
 * </ol>
 */
final class FairShare {
    private FairShare() {}

    static int of(String owner, List<Member> relays, int shards) {
        boolean anyClosed = relays.stream().anyMatch(Member::isClosed);
        List<String> able = relays.stream()
                .filter(relay -> !anyClosed || !relay.failing())
                .map(Member::owner)
                .toList();
        List<String> trying = relays.stream()
                .filter(relay -> !able.contains(relay.owner()) && relay.isTrying())
                .map(Member::owner)
                .limit(Math.max(0, shards - able.size()))
                .toList();
        if (trying.contains(owner)) {
            return 1;
        }
        if (!able.isEmpty() && !able.contains(owner) && isThere(owner, relays)) {
            return 0;
        }
        int left = shards - trying.size();
        int sharers = Math.max(1, able.size());
        int rank = able.indexOf(owner);
        int rest = rank >= 0 && rank < left % sharers ? 1 : 0;
        return left / sharers + rest;
    }

    private static boolean isThere(String owner, List<Member> relays) {
        return relays.stream().anyMatch(relay -> relay.owner().equals(owner));
    }
}
