package dev.postrider.internal.source.log;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The events that a relay has sent alone, one for each shard, for as long as the relay lives. An attempt is recorded before it
 * is made and counts as a death of the relay unless its outcome is recorded too. If the relay takes the shard over again after
 * it lost its connection, or after a commit of unknown outcome, it finds here that it survived the attempt.
 *
 * <p>Several sources of one relay share it. Any thread.
 */
public final class Attempts {
    private final Map<Integer, Attempt> last = new ConcurrentHashMap<>();

    private record Attempt(long id, String owner, Object source) {}

    void made(int shard, long id, String owner, Object source) {
        last.put(shard, new Attempt(id, owner, source));
    }

    /**
     * The shard is taken over again.
     *
     * @param before who wrote the newest row of its cursor: somebody else means that this relay was taken for dead
     * @param now under which name it is taken over
     * @return the event that was sent alone by this relay, and by nobody since; null if there is none
     */
    @Nullable
    Long survived(int shard, String before, String now) {
        Attempt attempt = last.computeIfPresent(
                shard, (any, one) -> one.owner().equals(before) ? new Attempt(one.id(), now, one.source()) : null);
        return attempt == null ? null : attempt.id();
    }

    /** The source has broken off with an {@code Error}, which may be the event's doing: that counts as a death. */
    void forgetThoseOf(Object source) {
        last.values().removeIf(attempt -> attempt.source() == source);
    }
}
