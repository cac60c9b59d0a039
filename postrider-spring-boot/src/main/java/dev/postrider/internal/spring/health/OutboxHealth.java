package dev.postrider.internal.spring.health;

import dev.postrider.OutboxPause;
import dev.postrider.RelayState;
import dev.postrider.admin.OutboxLevels;
import dev.postrider.internal.spring.relay.RelayLifecycle;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Whether this application does its part. It is down if its relay does not run or stands still, or the database says nothing.
 * It is up while the outbox is paused or the destination is down: the application takes events all the same, they are
 * delivered later, and to take it out of service would only keep events from being written.
 */
public final class OutboxHealth implements HealthIndicator {
    private final OutboxLook look;
    private final @Nullable RelayLifecycle relay;
    private final @Nullable BlockedDestinations blocked;

    /**
     * @param relay null in an application that only writes
     * @param blocked the same
     */
    public OutboxHealth(OutboxLook look, @Nullable RelayLifecycle relay, @Nullable BlockedDestinations blocked) {
        this.look = look;
        this.relay = relay;
        this.blocked = blocked;
    }

    @Override
    public Health health() {
        Map<String, Object> details = new LinkedHashMap<>();
        boolean up = relay == null || describe(relay, details);
        if (blocked != null && !blocked.latest().isEmpty()) {
            details.put("blockedDestinations", blocked.latest());
        }
        up &= describeLevels(details);
        return (up ? Health.up() : Health.down())
                .withDetail(look.table().toString(), details)
                .build();
    }

    /** Returns whether it does what it should. */
    private static boolean describe(RelayLifecycle relay, Map<String, Object> details) {
        RelayState state = relay.state().orElse(null);
        if (state == null) {
            details.put("relay", "not running");
            return false;
        }
        details.put("relay", state.phase().name().toLowerCase(Locale.ROOT));
        details.put("relaySinceSeconds", state.since().toSeconds());
        if (state.reason() != null) {
            details.put("relayReason", state.reason());
        }
        details.put("circuit", state.circuit());
        if (state.noAnswerFor() != null) {
            details.put("noAnswerForSeconds", state.noAnswerFor().toSeconds());
        }
        return state.phase() == RelayState.Phase.RUNNING || state.phase() == RelayState.Phase.PAUSED;
    }

    private boolean describeLevels(Map<String, Object> details) {
        try {
            OutboxLevels levels = look.levels();
            details.put("pending", counted(levels.pending()));
            details.put(
                    "lagSeconds", levels.pending() == 0 ? 0 : levels.oldest().toSeconds());
            details.put("deadLetters", counted(levels.deadLetters()));
            OutboxPause pause = levels.pause();
            if (pause != null) {
                details.put(
                        "paused",
                        Map.of("by", pause.actor(), "since", pause.since().toString(), "reason", pause.reason()));
            }
            return true;
        } catch (OutboxLook.NoLevelsException e) {
            details.put("database", String.valueOf(e.getMessage()));
            return false;
        }
    }

    /** A number, or that it is at least so many. */
    private static Object counted(long count) {
        return count < OutboxLook.CAP ? (Object) count : "at least " + OutboxLook.CAP;
    }
}
