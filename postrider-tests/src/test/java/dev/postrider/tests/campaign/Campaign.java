package dev.postrider.tests.campaign;

import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.cli.command.Database;
import dev.postrider.cli.demo.DeliveryProof;
import dev.postrider.tests.campaign.Findings.Phase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;

/**
 * Faults against one configuration, in rounds: some strike, one soon after the other, each while events are in flight; when
 * all have ended, everything written so far has to come within half a minute. At the end what came is compared with what
 * was written, and with what the relays said of it.
 */
final class Campaign {
    static final String TOLD_TOO_OFTEN = "told more often than delivered";

    private static final String UNTOLD = "recorded as dead and never told";
    private static final int RELAYS = 3;
    private static final int FAULTS_PER_ROUND = 4;

    /** After the last fault has ended, everything is delivered within this time. */
    private static final Duration LIVENESS = Duration.ofSeconds(30);

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int EXAMPLES = 5;

    /** With so many events under way a fault strikes: sometimes as soon as there are any, sometimes when they pile up. */
    private static final List<Integer> IN_FLIGHT = List.of(3, 30);

    /** Faults after which nobody may be left to tell of a dead letter that was recorded. */
    private static final Set<FaultKind> SILENCING = Set.of(
            FaultKind.KILL,
            FaultKind.PAUSE,
            FaultKind.DATABASE_CRASH,
            FaultKind.DATABASE_SILENCE,
            FaultKind.DATABASE_DELAY,
            FaultKind.SMALL_HEAP,
            FaultKind.ERROR);

    private final Configuration configuration;
    private final Set<FaultKind> kinds;
    private final int faultCount;
    private final Random random;
    private final long seed;
    private final CampaignServers servers;
    private final Slowdown slowdown;
    private final Findings findings;
    private final Runnable afterEachRound;
    private final Path directory;
    private final Ledger ledger = new Ledger();
    private final Told told = new Told();
    private final Excuses excuses = new Excuses();
    private final List<FaultKind> deck = new ArrayList<>();
    private int drawn;

    /**
     * @param faults how many strike
     * @param directory for logs of relays
     */
    record Plan(Configuration configuration, Set<FaultKind> kinds, int faults, long seed, Path directory) {}

    Campaign(Plan plan, CampaignServers servers, Slowdown slowdown, Findings findings, Runnable afterEachRound) {
        this.configuration = plan.configuration();
        this.kinds = plan.kinds();
        this.faultCount = plan.faults();
        this.seed = plan.seed();
        this.random = new Random(seed);
        this.directory = plan.directory();
        this.servers = servers;
        this.slowdown = slowdown;
        this.findings = findings;
        this.afterEachRound = afterEachRound;
    }

    void run() throws Exception {
        long begun = System.nanoTime();
        findings.running();
        begin(directory);
        String name = configuration.label().replace('-', '_');
        CampaignServers.Place place = servers.place(configuration, name);
        Access access = new Access(
                configuration,
                place.directUrl(),
                place.user(),
                place.password(),
                directory.resolve("dead-letters.jsonl"));
        try (HikariDataSource pool = new Database(access.url(), access.user(), access.password()).pool("campaign", 2)) {
            for (int attempt = 0; attempt < 5; attempt++) {
                Operators.interruptMigrate(pool, configuration, random.nextInt(30));
            }
            OutboxSchema.migrate(pool, OutboxTable.DEFAULT, configuration.layout());
        }
        Deaths.noteIn(access);
        findings.database(access.product());
        CampaignBrokers brokers = servers.brokers(configuration);
        String prefix = configuration.topicPrefix();
        brokers.createTopics(prefix, Operators.REPLAY_TOPIC);
        List<TopicPartition> partitions =
                brokers.createTopics(prefix, "campaign-events", HostileRows.TOPIC, Writers.SIDE_TOPIC);
        CampaignRelay.Options options = new CampaignRelay.Options(
                "",
                place.wiredUrl(),
                place.user(),
                place.password(),
                brokers.forRelays(),
                prefix,
                access.deadLetterFile().toString(),
                0);
        try (Relays relays = new Relays(RELAYS, options, told, directory);
                CampaignConsumer consumer = new CampaignConsumer(brokers.bootstrapServers(), partitions, ledger)) {
            relays.start();
            awaitReady(relays);
            findings.spent(Phase.BEGIN, begun);
            Diagnosis diagnosis = new Diagnosis(access, relays);
            try (Writers writers = new Writers(access, ledger, configuration, seed)) {
                HostileRows hostileRows = new HostileRows(access, ledger, new Random(seed + 1));
                Operators operators =
                        new Operators(access, brokers, consumer, relays, writers, ledger, excuses, slowdown);
                try (Faults faults = new Faults(
                        brokers, place, relays, writers, hostileRows, operators, configuration, excuses, slowdown)) {
                    wage(faults, writers, consumer, diagnosis);
                }
                writers.stop();
            }
            long ending = System.nanoTime();
            finish(relays, consumer, brokers, access, diagnosis);
            judge(relays, access, diagnosis);
            findings.spent(Phase.END, ending);
        }
        if (drawn < faultCount) {
            findings.brokenOff("a promise was broken");
        } else {
            findings.complete();
        }
    }

    /** Without what an earlier campaign has left. */
    private static void begin(Path directory) throws IOException {
        Files.createDirectories(directory);
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
    }

    private void wage(Faults faults, Writers writers, CampaignConsumer consumer, Diagnosis diagnosis) throws Exception {
        List<FaultKind> kindsOfRound = nextRound();
        while (!kindsOfRound.isEmpty() && findings.violations().isEmpty()) {
            List<CompletableFuture<Void>> round = new ArrayList<>();
            for (FaultKind kind : kindsOfRound) {
                writers.check();
                consumer.check();
                long waiting = System.nanoTime();
                boolean inFlight = awaitEventsInFlight();
                findings.spent(Phase.AWAIT_EVENTS_IN_FLIGHT, waiting);
                say(kind.label() + " strikes with " + ledger.inFlight() + " in flight");
                findings.begun(kind);
                long striking = System.nanoTime();
                round.add(faults.strike(kind, random.nextLong())
                        .thenAccept(effect -> findings.ended(
                                kind, inFlight, effect, Duration.ofNanos(System.nanoTime() - striking))));
                long pausing = System.nanoTime();
                Thread.sleep(random.nextInt(1_500));
                findings.spent(Phase.BETWEEN_FAULTS, pausing);
            }
            long ending = System.nanoTime();
            for (CompletableFuture<Void> fault : round) {
                awaitEnd(fault, diagnosis);
            }
            findings.spent(Phase.AWAIT_END_OF_FAULTS, ending);
            long delivering = System.nanoTime();
            awaitDeliveries(diagnosis);
            findings.spent(Phase.AWAIT_DELIVERIES, delivering);
            afterEachRound.run();
            kindsOfRound = nextRound();
        }
    }

    /** When all planned faults have struck, those strike again that had no effect or met no events in flight. */
    private List<FaultKind> nextRound() {
        int size = 1 + random.nextInt(FAULTS_PER_ROUND);
        List<FaultKind> round = new ArrayList<>();
        while (drawn < faultCount && round.size() < size) {
            round.add(next());
            drawn++;
        }
        if (round.isEmpty() && drawn < faultCount + faultCount / 4) {
            int often = Math.min(CampaignReport.ENOUGH, faultCount / kinds.size());
            findings.rarerThan(often).stream().limit(size).forEach(round::add);
            drawn += round.size();
        }
        return round;
    }

    /** Every kind once before any comes again. */
    private FaultKind next() {
        if (deck.isEmpty()) {
            deck.addAll(kinds);
            Collections.shuffle(deck, random);
        }
        return deck.remove(deck.size() - 1);
    }

    private boolean awaitEventsInFlight() throws InterruptedException {
        int wanted = IN_FLIGHT.get(random.nextInt(IN_FLIGHT.size()));
        long deadline = System.nanoTime() + Duration.ofSeconds(5).toNanos();
        while (ledger.inFlight() < wanted && System.nanoTime() - deadline < 0) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return ledger.inFlight() > 0;
    }

    private void awaitEnd(CompletableFuture<Void> fault, Diagnosis diagnosis) throws Exception {
        try {
            fault.join();
        } catch (CompletionException e) {
            if (!(e.getCause() instanceof AssertionError)) {
                throw e;
            }
            findings.violation(e.getCause().getMessage());
            diagnosis.relays().forEach(findings::detail);
        }
    }

    /** What was committed up to now comes in time. */
    private void awaitDeliveries(Diagnosis diagnosis) throws Exception {
        long began = System.nanoTime();
        Set<UUID> missing =
                new HashSet<>(ledger.proof().someMissing(Integer.MAX_VALUE).keySet());
        Slowdown.Deadline deadline = slowdown.in(LIVENESS);
        while (!missing.isEmpty()) {
            if (deadline.isOver()) {
                liveness(missing, Duration.ofNanos(System.nanoTime() - began), diagnosis);
                return;
            }
            TimeUnit.MILLISECONDS.sleep(50);
            missing.removeIf(id -> ledger.proof().deliveriesOf(id) > 0);
        }
        Duration lasted = Duration.ofNanos(System.nanoTime() - began);
        findings.allDeliveredAfter(lasted);
        say("all delivered " + lasted.toMillis() + " ms after the last fault had ended");
    }

    private void liveness(Set<UUID> missing, Duration waited, Diagnosis diagnosis) throws Exception {
        findings.violation("liveness: " + missing.size() + " events are undelivered " + waited.toSeconds()
                + " s after the last fault has ended");
        findings.allDeliveredAfter(waited);
        findings.number("undelivered in time", missing.size());
        missing.stream().limit(EXAMPLES).map(diagnosis::whereIs).forEach(findings::detail);
        diagnosis.leases().forEach(findings::detail);
        diagnosis.relays().forEach(findings::detail);
    }

    /** Nothing is written any more. If something stands still, new relays show whether it is lost. */
    private void finish(
            Relays relays, CampaignConsumer consumer, CampaignBrokers brokers, Access access, Diagnosis diagnosis)
            throws Exception {
        if (findings.violations().isEmpty()) {
            awaitDeliveries(diagnosis);
        }
        if (!findings.violations().isEmpty()) {
            say("all relays begin anew, to see what is lost and what just stands still");
            relays.all().forEach(RelayChild::kill);
            relays.all().forEach(RelayChild::start);
            Slowdown.Deadline deadline = slowdown.in(PATIENCE);
            while (ledger.proof().missing() > 0 && !deadline.isOver()) {
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
        awaitReady(relays);
        awaitDeaths(access);
        for (RelayChild relay : relays.all()) {
            Duration limit = slowdown.stretched(LIVENESS);
            if (!relay.stop(limit)) {
                diagnosis.relays().forEach(findings::detail);
                findings.violation(relay.name() + " did not stop within " + limit.toSeconds() + " s");
            }
        }
        try (Admin admin = brokers.admin()) {
            consumer.readToEnd(admin, slowdown.stretched(PATIENCE));
        }
    }

    private void awaitReady(Relays relays) throws InterruptedException {
        Slowdown.Deadline deadline = slowdown.in(PATIENCE);
        while (!relays.areReady()) {
            if (deadline.isOver()) {
                throw new AssertionError("The relays did not start within " + PATIENCE.toSeconds() + " s.");
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    /** Those that operators wanted to be sent again die again. Whether all have is judged later. */
    private void awaitDeaths(Access access) throws Exception {
        Slowdown.Deadline deadline = slowdown.in(LIVENESS);
        while (!access.deadLetters().containsAll(ledger.rejected()) && !deadline.isOver()) {
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    private void judge(Relays relays, Access access, Diagnosis diagnosis) throws Exception {
        DeliveryProof.Verdict verdict = ledger.proof().verdict();
        findings.number("written", verdict.written());
        findings.number("rolled back", verdict.rolledBack());
        findings.number("received", verdict.received());
        findings.mustBeZero("lost", verdict.lost());
        if (configuration.isExactlyOnce()) {
            findings.mustBeZero("doubled", verdict.duplicates());
            ledger.proof()
                    .someRepeated(EXAMPLES)
                    .forEach((id, key) -> findings.detail("doubled: key " + key + ", " + diagnosis.whereIs(id)));
        } else {
            findings.number("doubled", verdict.duplicates());
        }
        findings.mustBeZero("reordered", verdict.reordered());
        findings.mustBeZero("phantom", verdict.phantom());
        verdict.examples().forEach(findings::detail);
        ledger.proof()
                .someMissing(EXAMPLES)
                .forEach((id, key) -> findings.detail("lost: key " + key + ", " + diagnosis.whereIs(id)));
        judgeHostileRows(access, diagnosis);
        judgeDeadLetters(access, diagnosis);
        judgeReports(access);
        judgeFences(access);
        findings.number("relays that ended by themselves", relays.exits());
        findings.number("errors met by threads", told.errors());
    }

    /** Each was delivered, is a dead letter, or is seen to wait. */
    private void judgeHostileRows(Access access, Diagnosis diagnosis) throws Exception {
        findings.number("hostile rows", ledger.hostileRows());
        findings.number("hostile rows delivered", ledger.hostileDelivered());
        Set<UUID> forgotten = new HashSet<>();
        for (String id : access.rows(
                configuration.isLog()
                        ? "select event_id from outbox where id not in (select outbox_id from outbox_parked)"
                                + " and id not in (select outbox_id from outbox_dead_letter)"
                        : "select event_id from outbox where status = 'PENDING'"
                                + " and (next_attempt_at is null or next_attempt_at <= " + access.now() + ")")) {
            UUID event = UUID.fromString(id);
            if (ledger.isHostile(event) && ledger.deliveriesOf(event) == 0) {
                forgotten.add(event);
            }
        }
        findings.mustBeNone("hostile rows that nobody speaks of", described(forgotten, diagnosis));
    }

    private void judgeDeadLetters(Access access, Diagnosis diagnosis) throws Exception {
        Set<UUID> dead = access.deadLetters();
        Set<UUID> unseen = ledger.rejected();
        findings.number("rejected", unseen.size());
        unseen.removeAll(dead);
        findings.mustBeNone("rejected and no dead letter", described(unseen, diagnosis));
        List<UUID> buried = dead.stream().filter(ledger::hasToCome).toList();
        findings.mustBeNone("healthy and a dead letter", described(buried, diagnosis));
    }

    private static List<String> described(Collection<UUID> events, Diagnosis diagnosis) {
        return events.stream().map(diagnosis::whereIs).toList();
    }

    /** Listeners and metrics against consumers and tables. */
    private void judgeReports(Access access) throws Exception {
        Map<UUID, Integer> published = told.published();
        findings.number(
                "told as published",
                published.values().stream().mapToLong(times -> times).sum());
        List<String> boasts = published.entrySet().stream()
                .filter(one -> one.getValue() > ledger.deliveriesOf(one.getKey()))
                .map(one -> one.getKey() + " was told " + one.getValue() + " times as published and came "
                        + ledger.deliveriesOf(one.getKey()) + " times")
                .toList();
        findings.mustBeNone(TOLD_TOO_OFTEN, boasts);
        findings.number(
                "dead letters",
                access.rows("select outbox_id from outbox_dead_letter").size());
        Deaths deaths = Deaths.notedIn(access);
        findings.number("recorded as dead", deaths.count());
        findings.mustBeNone("told as dead more often than recorded", deaths.invented(told.dead(), told.inFile()));
        List<String> untold = deaths.untold(told.dead());
        if (findings.hasStruck(SILENCING)) {
            findings.number(UNTOLD, untold.size());
        } else {
            findings.mustBeNone(UNTOLD, untold);
        }
        findings.mustBeNone("metrics that differ from listeners", told.wrongTotals());
    }

    /** Between two fences of a shard one relay alone moves its cursor. */
    private void judgeFences(Access access) throws Exception {
        if (!configuration.isLog()) {
            return;
        }
        List<String> shared = access.rows("""
                select shard || ': ' || string_agg(distinct owner, ', ')
                from (select *, count(*) filter (where fence) over (partition by shard order by seq) as reign
                      from outbox_cursor) c
                group by shard, reign
                having count(distinct owner) > 1
                """);
        findings.mustBeNone("cursors moved by two relays between fences", shared);
    }

    private void say(String what) {
        System.out.printf("%tT %s: %s%n", System.currentTimeMillis(), configuration.label(), what);
    }
}
