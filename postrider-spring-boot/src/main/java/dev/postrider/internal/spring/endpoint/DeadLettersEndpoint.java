package dev.postrider.internal.spring.endpoint;

import dev.postrider.OutboxAdmin;
import dev.postrider.admin.DeadLetter;
import dev.postrider.admin.DeadLetterContent;
import dev.postrider.admin.DeadLetterPage;
import dev.postrider.admin.DeadLetterSelection;
import dev.postrider.admin.Discarded;
import dev.postrider.admin.ReplayReport;
import dev.postrider.admin.ReplayRequest;
import dev.postrider.admin.ReplayScope;
import dev.postrider.admin.ReplayStoppedException;
import dev.postrider.admin.Retried;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * Dead letters: a page of them, by kinds of errors, one with everything in it; and what can be done about them. What changes
 * something does so under the name of whoever has logged in.
 */
@WebEndpoint(id = "postriderdeadletters", defaultAccess = Access.READ_ONLY)
public final class DeadLettersEndpoint {
    private static final String ERRORS = "errors";

    /** So many are looked at, at most: pages end there, and what is older is not among the kinds of errors. */
    private static final int LOOKED_AT = 10_000;

    private static final int PAGE_SIZE = 50;
    private static final int MOST_ON_A_PAGE = 500;
    private static final int MOST_IDS = 1_000;

    private final OperatedOutboxes outboxes;
    private final Replays replays = new Replays();
    private final boolean showPayloads;

    public DeadLettersEndpoint(OperatedOutboxes outboxes, boolean showPayloads) {
        this.outboxes = outboxes;
        this.showPayloads = showPayloads;
    }

    // ---- looking

    /** Those that died last first. All conditions must hold; without any, all are listed. Of the main outbox if none is named. */
    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> list(
            @Nullable String page,
            @Nullable String size,
            @Nullable String errorClass,
            @Nullable String type,
            @Nullable String key,
            @Nullable String aggregate,
            @Nullable String since,
            @Nullable String until,
            @Nullable String outbox) {
        return Answer.of(() -> {
            OutboxAdmin admin = outboxes.find(outbox).admin();
            int perPage = Parameters.wholeNumber(size, "size", PAGE_SIZE, 1, MOST_ON_A_PAGE);
            int number = Parameters.wholeNumber(page, "page", 0, 0, LOOKED_AT / perPage - 1);
            Conditions conditions = new Conditions(errorClass, type, key, aggregate, since, until);
            DeadLetterPage found = admin.list(conditions.selection(true), (number + 1) * perPage, LOOKED_AT);
            return Answer.object(
                    "total",
                    total(found),
                    "page",
                    number,
                    "size",
                    perPage,
                    "letters",
                    found.letters().stream()
                            .skip((long) number * perPage)
                            .map(DeadLetterJson::of)
                            .toList());
        });
    }

    private static Object total(DeadLetterPage found) {
        return found.total() < LOOKED_AT ? (Object) found.total() : "at least " + LOOKED_AT;
    }

    /**
     * @param id of a dead letter, or {@value #ERRORS}
     * @param outbox name; the main one without
     */
    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> one(@Selector String id, @Nullable String outbox) {
        return Answer.of(() -> {
            OutboxAdmin admin = outboxes.find(outbox).admin();
            return id.equals(ERRORS) ? errors(admin) : letter(admin, Parameters.id(id));
        });
    }

    private static Map<String, Object> errors(OutboxAdmin admin) {
        DeadLetterPage found = admin.list(DeadLetterSelection.all(), LOOKED_AT, LOOKED_AT);
        return Answer.object(
                "total",
                total(found),
                "lookedAt",
                found.letters().size(),
                "errors",
                DeadLetterJson.byErrorClass(found.letters()));
    }

    private Map<String, Object> letter(OutboxAdmin admin, long id) {
        DeadLetterContent content =
                admin.get(id).orElseThrow(() -> RefusedException.badRequest("There is no dead letter " + id + "."));
        return DeadLetterJson.of(content, showPayloads);
    }

    // ---- changing

    /**
     * @param action retry, discard or replay
     * @param ids of retry and discard: of dead letters, separated by commas
     * @param aggregate of retry and replay
     * @param errorClass of retry, as are type, key, since and until
     * @param from of replay, together with to
     * @param topic of replay: another than the events' own
     * @param afterId of replay: where an earlier one stopped
     * @param outbox name; the main one without
     */
    @WriteOperation
    public WebEndpointResponse<Map<String, Object>> act(
            SecurityContext security,
            @Selector String action,
            @Nullable String ids,
            @Nullable String aggregate,
            @Nullable String errorClass,
            @Nullable String type,
            @Nullable String key,
            @Nullable String since,
            @Nullable String until,
            @Nullable String from,
            @Nullable String to,
            @Nullable String topic,
            @Nullable String afterId,
            @Nullable String outbox) {
        return Answer.of(() -> {
            OperatedOutbox chosen = outboxes.find(outbox);
            OutboxAdmin admin = chosen.admin();
            Conditions conditions = new Conditions(errorClass, type, key, aggregate, since, until);
            return switch (action) {
                case "retry" -> retry(admin, Actor.of(security), Parameters.ids(ids), conditions);
                case "discard" -> discard(admin, Actor.of(security), Parameters.ids(ids), conditions);
                case "replay" ->
                    replay(
                            chosen,
                            Actor.of(security),
                            new ReplayParameters(aggregate, from, to, topic, afterId).request());
                default ->
                    throw RefusedException.badRequest(
                            "There is no such action; there are retry, discard and replay. Nothing was changed.");
            };
        });
    }

    private static Map<String, Object> retry(OutboxAdmin admin, String actor, List<Long> ids, Conditions conditions) {
        if (!ids.isEmpty() && conditions.any()) {
            throw RefusedException.badRequest(
                    "Say which dead letters are meant either by ids or by conditions. Nothing was changed.");
        }
        DeadLetterSelection selection = ids.isEmpty() ? conditions.selection(false) : known(admin, ids);
        if (admin.list(selection, 1, 1).letters().isEmpty()) {
            throw RefusedException.badRequest("No dead letter is so. Nothing was changed.");
        }
        Retried retried = admin.retry(selection, actor);
        return Answer.object(
                "selection",
                selection.inWords(),
                "sentAgain",
                retried.sentAgain(),
                "handledBefore",
                retried.handled(),
                "kept",
                retried.kept());
    }

    /** By ids only: it is for ever, and a condition that is mistyped would be one that is left out. */
    private static Map<String, Object> discard(OutboxAdmin admin, String actor, List<Long> ids, Conditions conditions) {
        if (ids.isEmpty() || conditions.any()) {
            throw RefusedException.badRequest(
                    "Dead letters are discarded by their ids, and by nothing else. Nothing was changed.");
        }
        DeadLetterSelection selection = known(admin, ids);
        Discarded discarded = admin.discard(selection, actor);
        return Answer.object(
                "selection",
                selection.inWords(),
                "discarded",
                discarded.discarded(),
                "handledBefore",
                discarded.handled());
    }

    private static DeadLetterSelection known(OutboxAdmin admin, List<Long> ids) {
        if (ids.size() > MOST_IDS) {
            throw RefusedException.badRequest(
                    "There are more than " + MOST_IDS + " ids; give them in parts. Nothing was changed.");
        }
        DeadLetterSelection selection = DeadLetterSelection.ofIds(ids);
        TreeSet<Long> unknown = new TreeSet<>(ids);
        admin.list(selection, ids.size()).letters().stream().map(DeadLetter::id).forEach(unknown::remove);
        if (!unknown.isEmpty()) {
            throw RefusedException.badRequest("There is no dead letter " + unknown.first() + ". Nothing was changed.");
        }
        return selection;
    }

    private Map<String, Object> replay(OperatedOutbox outbox, String actor, ReplayRequest request) {
        try {
            ReplayReport report = replays.run(outbox, request, actor);
            if (report.sent() == 0 && report.complete()) {
                throw RefusedException.badRequest("There is no such published event. Nothing was sent.");
            }
            return Answer.object(
                    "selection",
                    request.inWords(),
                    "sent",
                    report.sent(),
                    "lastId",
                    report.lastId(),
                    "complete",
                    report.complete());
        } catch (ReplayStoppedException e) {
            throw RefusedException.conflict(String.valueOf(e.getMessage()).replace("--after-id", "afterId"));
        }
    }

    /** As they were given. */
    private record Conditions(
            @Nullable String errorClass,
            @Nullable String type,
            @Nullable String key,
            @Nullable String aggregate,
            @Nullable String since,
            @Nullable String until) {

        boolean any() {
            return Parameters.text(errorClass) != null
                    || Parameters.text(type) != null
                    || Parameters.text(key) != null
                    || Parameters.text(aggregate) != null
                    || Parameters.text(since) != null
                    || Parameters.text(until) != null;
        }

        /**
         * @param noneIsAll whether all are meant if nothing is said
         */
        DeadLetterSelection selection(boolean noneIsAll) {
            if (noneIsAll && !any()) {
                return DeadLetterSelection.all();
            }
            DeadLetterSelection.Builder selection = DeadLetterSelection.builder()
                    .errorClass(Parameters.text(errorClass))
                    .type(Parameters.text(type))
                    .key(Parameters.text(key))
                    .diedSince(Parameters.time(since, "since"))
                    .diedUntil(Parameters.time(until, "until"));
            Parameters.select(selection, Parameters.aggregate(aggregate));
            return Parameters.checked(selection::build);
        }
    }

    /** The same. */
    private record ReplayParameters(
            @Nullable String aggregate,
            @Nullable String from,
            @Nullable String to,
            @Nullable String topic,
            @Nullable String afterId) {

        ReplayRequest request() {
            return new ReplayRequest(scope(), Parameters.text(topic), Parameters.afterId(afterId));
        }

        private ReplayScope scope() {
            Parameters.Aggregate of = Parameters.aggregate(aggregate);
            Instant begin = Parameters.time(from, "from");
            Instant end = Parameters.time(to, "to");
            if (of != null && begin == null && end == null) {
                return new ReplayScope.OfAggregate(of.type(), of.id());
            }
            if (of == null && begin != null && end != null) {
                return Parameters.checked(() -> new ReplayScope.WrittenBetween(begin, end));
            }
            throw RefusedException.badRequest(
                    "Say which events are meant either by aggregate, or by from and to. Nothing was sent.");
        }
    }
}
