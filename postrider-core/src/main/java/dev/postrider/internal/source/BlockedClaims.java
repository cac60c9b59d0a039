package dev.postrider.internal.source;

import dev.postrider.internal.source.EventSource.Released;
import dev.postrider.internal.store.OutboxStore.ReleasedTo;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Events of claim mode that wait for their destinations, and when they go on. Used by the relay's thread alone.
 *
 * <p>A relay that has just started lets all of them go on once: those before it may have routed them elsewhere. What is blocked
 * again meanwhile lies behind that walk, or is met once more; it ends in any case.
 */
final class BlockedClaims {
    private static final int CHUNK = 2_000;
    private static final int MOST_DESTINATIONS = 1_000;

    /** So many blocked events are looked at each time for those that wait behind nothing any more. */
    private static final int LOOKED_AT = 500;

    private final RowByRow rows;

    /** How far the walk after the start has come; null once it has ended. */
    private @Nullable ReleasedTo walked = ReleasedTo.START;

    /** Where the next look begins: with very many destinations one look does not reach all of them. */
    private String lookedTo = "";

    /** The same for the look at what waits behind a blocked event. */
    private ReleasedTo followersTo = ReleasedTo.START;

    BlockedClaims(RowByRow rows) {
        this.rows = rows;
    }

    Released release(Connection connection, ToIntFunction<String> releasable) throws SQLException {
        ReleasedTo after = walked;
        if (after != null) {
            ReleasedTo released = rows.releaseAnyBlocked(connection, after, CHUNK);
            walked = released.events() == 0 ? null : released;
            return new Released(released.events(), released.events() > 0);
        }
        int events = 0;
        boolean more = false;
        List<String> destinations = rows.blockedDestinations(connection, lookedTo, MOST_DESTINATIONS);
        lookedTo = destinations.size() < MOST_DESTINATIONS ? "" : destinations.get(destinations.size() - 1);
        for (String destination : destinations) {
            int limit = Math.min(CHUNK, releasable.applyAsInt(destination));
            if (limit > 0) {
                int released = rows.releaseBlocked(connection, destination, limit);
                events += released;
                more |= released == limit;
            }
        }
        if (!destinations.isEmpty()) {
            followersTo = rows.releaseFollowers(connection, followersTo, LOOKED_AT);
            events += followersTo.events();
            more |= followersTo.events() > 0;
        }
        return new Released(events, more);
    }
}
