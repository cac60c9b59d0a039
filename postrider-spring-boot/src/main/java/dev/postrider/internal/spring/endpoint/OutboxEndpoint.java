package dev.postrider.internal.spring.endpoint;

import dev.postrider.EventStatus;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxPause;
import dev.postrider.OutboxStatus;
import dev.postrider.RelayState;
import dev.postrider.admin.ClosedKey;
import dev.postrider.internal.spring.relay.RelayLifecycle;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/** The state of the outbox, of this application's relay, and what holds events back. */
@WebEndpoint(id = "postrider", defaultAccess = Access.READ_ONLY)
public final class OutboxEndpoint {
    private static final int CLOSED_KEYS = 100;

    private final OperatedOutboxes outboxes;

    public OutboxEndpoint(OperatedOutboxes outboxes) {
        this.outboxes = outboxes;
    }

    /**
     * @param outbox name; the main one without
     */
    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> status(@Nullable String outbox) {
        return Answer.of(() -> {
            OperatedOutbox chosen = outboxes.find(outbox);
            OutboxStatus status = chosen.admin().status();
            OutboxLayout layout = status.layout();
            return Answer.object(
                    "outbox",
                    chosen.table().toString(),
                    "outboxes",
                    outboxes.names(),
                    "mode",
                    lower(layout.mode()),
                    "delivery",
                    lower(layout.delivery()),
                    "events",
                    counts(status),
                    "lagSeconds",
                    seconds(status.oldestUnsent()),
                    "paused",
                    paused(status.pause()),
                    "relay",
                    relay(chosen.relay()),
                    "relays",
                    status.relays().stream().map(OutboxEndpoint::lease).toList(),
                    "shards",
                    status.shards().stream().map(OutboxEndpoint::shard).toList(),
                    "blockedDestinations",
                    status.blocked().stream().map(OutboxEndpoint::blocked).toList(),
                    "closedKeys",
                    chosen.admin().closedKeys(CLOSED_KEYS).stream()
                            .map(OutboxEndpoint::closedKey)
                            .toList());
        });
    }

    private static Map<String, Object> counts(OutboxStatus status) {
        Map<String, Object> counts = new LinkedHashMap<>();
        for (EventStatus state : EventStatus.values()) {
            long count = status.count(state);
            counts.put(lower(state), status.isAtLeast(state) ? "at least " + count : count);
        }
        return counts;
    }

    /** Null if it is not paused. */
    static @Nullable Map<String, Object> paused(@Nullable OutboxPause pause) {
        return pause == null
                ? null
                : Answer.object("by", pause.actor(), "since", pause.since().toString(), "reason", pause.reason());
    }

    static Map<String, Object> relay(@Nullable RelayLifecycle relay) {
        if (relay == null) {
            return Answer.object("phase", "none in this application");
        }
        RelayState state = relay.state().orElse(null);
        if (state == null) {
            return Answer.object("phase", "not running");
        }
        return Answer.object(
                "phase",
                lower(state.phase()),
                "sinceSeconds",
                state.since().toSeconds(),
                "reason",
                state.reason(),
                "owner",
                state.owner(),
                "shards",
                state.shards().stream().sorted().toList(),
                "circuit",
                state.circuit(),
                "noAnswerForSeconds",
                seconds(state.noAnswerFor()));
    }

    private static Map<String, Object> lease(OutboxStatus.RelayLease lease) {
        return Answer.object(
                "owner",
                lease.owner(),
                "alive",
                lease.alive(),
                "sending",
                lease.sending(),
                "ageSeconds",
                lease.age().toSeconds(),
                "circuit",
                lease.circuit());
    }

    private static Map<String, Object> shard(OutboxStatus.Shard shard) {
        return Answer.object(
                "number",
                shard.number(),
                "owner",
                shard.owner(),
                "events",
                shard.events(),
                "lagSeconds",
                seconds(shard.oldest()),
                "unmovedSeconds",
                shard.unmoved().toSeconds());
    }

    private static Map<String, Object> blocked(OutboxStatus.BlockedDestination destination) {
        return Answer.object(
                "destination",
                destination.name(),
                "events",
                destination.events(),
                "sinceSeconds",
                destination.since().toSeconds(),
                "reason",
                destination.reason());
    }

    private static Map<String, Object> closedKey(ClosedKey closed) {
        return Answer.object(
                "key",
                closed.key(),
                "behindId",
                closed.behindId(),
                "type",
                closed.type(),
                "state",
                closed.state() == ClosedKey.State.DEAD_LETTER ? "dead letter" : "waits for its retry",
                "attempts",
                closed.attempts(),
                "reason",
                closed.reason());
    }

    private static @Nullable Long seconds(@Nullable Duration duration) {
        return duration == null ? null : duration.toSeconds();
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
