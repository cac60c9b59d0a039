package dev.postrider.internal.spring.endpoint;

import dev.postrider.OutboxAdmin;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/** The state of this application's relay, and a pause of the outbox, which is one for all relays. */
@WebEndpoint(id = "postriderrelay", defaultAccess = Access.READ_ONLY)
public final class RelayEndpoint {
    private final OperatedOutboxes outboxes;

    public RelayEndpoint(OperatedOutboxes outboxes) {
        this.outboxes = outboxes;
    }

    /**
     * What this process knows; the database is not asked.
     *
     * @param outbox name; the main one without
     */
    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> state(@Nullable String outbox) {
        return Answer.of(() -> OutboxEndpoint.relay(outboxes.find(outbox).relay()));
    }

    /**
     * @param action pause or resume
     * @param reason of a pause
     * @param outbox name; the main one without
     */
    @WriteOperation
    public WebEndpointResponse<Map<String, Object>> act(
            SecurityContext security, @Selector String action, @Nullable String reason, @Nullable String outbox) {
        return Answer.of(() -> switch (action) {
            case "pause" -> pause(outboxes.find(outbox).admin(), Actor.of(security), Parameters.text(reason));
            case "resume" -> resume(outboxes.find(outbox).admin(), Actor.of(security));
            default ->
                throw RefusedException.badRequest(
                        "There is no such action; there are pause and resume. Nothing was changed.");
        });
    }

    private static Map<String, Object> pause(OutboxAdmin admin, String actor, @Nullable String reason) {
        if (reason == null) {
            throw RefusedException.badRequest(
                    "A reason is required: others are shown it while the outbox is paused. Nothing was changed.");
        }
        OutboxAdmin.Paused paused = admin.pause(actor, reason);
        return Answer.object("paused", OutboxEndpoint.paused(paused.pause()), "changed", !paused.already());
    }

    private static Map<String, Object> resume(OutboxAdmin admin, String actor) {
        return admin.resume(actor)
                .map(ended -> Answer.object("resumed", OutboxEndpoint.paused(ended), "changed", true))
                .orElseGet(() -> Answer.object("changed", false));
    }
}
