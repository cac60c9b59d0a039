package dev.postrider.kafka;

import dev.postrider.internal.lifecycle.Service;
import dev.postrider.publish.PublishResult;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which topics are there, may be written, and have leaders. A thread of its own finds out, so that no producer ever waits for
 * a topic that is not there, and one such topic is in nobody's way.
 *
 * <p>A topic is looked at when an event for it comes for the first time, then every 30 s, and at once when sending to it failed.
 * One that takes nothing is looked at after 1, 2, 4 … 60 s. One that nobody has asked for in 10 minutes is forgotten; so are
 * those that were asked for longest ago when there are very many, because events can name any number of topics.
 *
 * <p>Any thread.
 */
final class KnownTopics {
    private static final Logger log = LoggerFactory.getLogger(KnownTopics.class);

    private static final long REFRESH = Duration.ofSeconds(30).toNanos();
    private static final long FIRST_PROBE = Duration.ofSeconds(1).toNanos();
    private static final long LAST_PROBE = Duration.ofSeconds(60).toNanos();

    /** How long a new topic may take to be made, or to get its leaders, before it counts as one that takes nothing. */
    private static final long FIRST_PATIENCE = Duration.ofSeconds(5).toNanos();

    private static final long FIRST_STEP = Duration.ofMillis(100).toNanos();

    /** For so long nobody asks again when the cluster gave no answer. */
    private static final long SILENCE = Duration.ofSeconds(1).toNanos();

    /** For whoever publishes without having asked whether something is known. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    /** How old an answer is at least before a topic is looked at out of turn. */
    private static final long LOOK_AGAIN = Duration.ofSeconds(1).toNanos();

    private static final long JUST = Duration.ofSeconds(5).toNanos();
    private static final long ASK_SILENT = Duration.ofSeconds(10).toNanos();
    private static final long NEVER = Duration.ofDays(1).toNanos();

    /** As long as somebody who has asked may still be waiting for the answer, a topic is not forgotten. */
    private static final long SHORTEST_MEMORY = LONGEST_WAIT.toNanos();

    private static final long MEMORY = Duration.ofMinutes(10).toNanos();
    private static final int MOST_REMEMBERED = 10_000;

    /** So many are looked at in one request: whoever is new waits for one request at most. */
    static final int BATCH = 500;

    private static final int MOST_TOLD = 100;

    private final Supplier<TopicLook> looks;
    private final LongSupplier nanoTime;
    private final TopicNotices notices;
    private final RefusedSizes sizes;
    private final Map<String, Topic> topics = new ConcurrentHashMap<>();

    /** Partitions that have not answered for long, while others have, and when they are asked themselves. */
    private final Map<TopicPartition, Long> silent = new ConcurrentHashMap<>();

    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    /** Guarded by this object. */
    private int users;

    private @Nullable Service service;

    KnownTopics(ProducerSettings settings) {
        this(() -> new TopicLook(settings), RefusedSizes.of(settings, System::nanoTime), System::nanoTime);
    }

    /**
     * @param looks one for each thread, which may still be at work when the next one starts
     */
    KnownTopics(Supplier<TopicLook> looks, RefusedSizes sizes, LongSupplier nanoTime) {
        this.looks = looks;
        this.sizes = sizes;
        this.nanoTime = nanoTime;
        this.notices = new TopicNotices(nanoTime);
    }

    /** What is known of one topic. */
    private static final class Topic {
        final String name;

        /** Null before anything is known. */
        volatile TopicLook.@Nullable Answer answer;

        volatile long answeredAt;
        volatile CompletableFuture<Void> lookedAt = new CompletableFuture<>();
        volatile long nextLook;
        volatile long askedForAt;
        final long since;
        int badLooks;
        boolean provoked;

        /** An event of this publisher goes there. */
        volatile boolean routed;

        Topic(String name, long now) {
            this.name = name;
            this.nextLook = now;
            this.askedForAt = now;
            this.since = now;
        }

        boolean isKnown(long now) {
            return answer != null && (!(answer instanceof TopicLook.Answer.NoAnswer) || now - answeredAt < SILENCE);
        }

        boolean isUnusedFor(long time, long now) {
            return lookedAt.isDone() && now - askedForAt > time;
        }
    }

    // ---- who uses it

    /** The thread starts with the first user. */
    synchronized void use() {
        if (users++ == 0) {
            TopicLook look = looks.get();
            Service fresh =
                    Service.named("postrider-kafka-topics").atEnd(look::close).doing(() -> lookAround(look));
            service = fresh;
            fresh.start();
        }
    }

    /** The thread ends with the last one. */
    synchronized void leave() {
        Service current = service;
        if (--users == 0 && current != null) {
            service = null;
            current.askToStop();
            topics.values().forEach(topic -> topic.lookedAt.complete(null));
        }
    }

    void onRelease(Runnable wake) {
        listeners.add(wake);
    }

    void forget(Runnable wake) {
        listeners.remove(wake);
    }

    private synchronized void wake() {
        if (service != null) {
            service.wake();
        }
    }

    // ---- what is asked before sending

    /** The topic, which from now on is in use, and is not forgotten. */
    private Topic use(String name, long now) {
        Topic known = topics.get(name);
        if (known != null && now - known.askedForAt < SHORTEST_MEMORY / 2) {
            return known;
        }
        // One step with regard to forget(): nobody gets hold of a topic that is forgotten at that moment.
        return topics.compute(name, (any, before) -> {
            Topic topic = before == null ? new Topic(name, now) : before;
            topic.askedForAt = now;
            return topic;
        });
    }

    /** Complete as soon as there is an answer for the topic. */
    CompletionStage<?> ready(String name) {
        long now = nanoTime.getAsLong();
        Topic topic = use(name, now);
        if (topic.isKnown(now)) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> lookedAt;
        synchronized (topic) {
            if (topic.lookedAt.isDone() && !topic.isKnown(now)) {
                topic.lookedAt = new CompletableFuture<>();
                topic.nextLook = now;
            }
            lookedAt = topic.lookedAt;
        }
        wake();
        return lookedAt;
    }

    /** Why an event cannot be sent; null if it can. Waits only for a topic whose {@link #ready} nobody awaited. */
    @Nullable
    PublishResult obstacle(String name, byte[] key) {
        long now = nanoTime.getAsLong();
        Topic topic = use(name, now);
        topic.routed = true;
        if (!topic.isKnown(now)) {
            await(ready(name).toCompletableFuture());
        }
        TopicLook.Answer answer = topic.answer;
        if (answer instanceof TopicLook.Answer.Good good) {
            int partition = partitionOf(key, good.partitions());
            if (good.leaderless().contains(partition)) {
                return new PublishResult.Blocked(
                        name + "/" + partition, "LeaderNotAvailable", "Partition " + partition + " has no leader.");
            }
            return !silent.isEmpty() && silent.containsKey(new TopicPartition(name, partition))
                    ? new PublishResult.Blocked(
                            name + "/" + partition, "NoAnswer", "Partition " + partition + " does not answer.")
                    : null;
        }
        return obstacle(name, answer);
    }

    private static PublishResult obstacle(String name, TopicLook.@Nullable Answer answer) {
        if (answer instanceof TopicLook.Answer.Missing) {
            return new PublishResult.Blocked(name, "UnknownTopicOrPartition", "There is no topic " + name + ".");
        }
        if (answer instanceof TopicLook.Answer.Forbidden) {
            return new PublishResult.Blocked(name, "TopicAuthorization", "Topic " + name + " may not be written.");
        }
        String reason = answer instanceof TopicLook.Answer.NoAnswer none ? none.reason() : "no broker has answered";
        return new PublishResult.Unavailable("NoAnswer", "Topic " + name + " cannot be looked up: " + reason);
    }

    private void await(CompletableFuture<?> lookedAt) {
        try {
            lookedAt.get(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // The topic is as unknown as before.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static int partitionOf(byte[] key, int partitions) {
        return partitions == 0 ? -1 : Utils.toPositive(Utils.murmur2(key)) % partitions;
    }

    /** Where an event goes; null if that is not known. */
    @Nullable
    TopicPartition partitionOf(String name, byte[] key) {
        Topic topic = topics.get(name);
        return topic != null && topic.answer instanceof TopicLook.Answer.Good good && good.partitions() > 0
                ? new TopicPartition(name, partitionOf(key, good.partitions()))
                : null;
    }

    // ---- what sending tells

    RefusedSizes sizes() {
        return sizes;
    }

    /**
     * What the failure of a record means. A topic that turns out to be missing or forbidden is blocked from now on, before
     * the relay knows of the failure; so is a size that was refused.
     */
    PublishResult failed(ProducerRecord<byte[], byte[]> record, Exception error) {
        sizes.failed(record, error);
        String name = record.topic();
        Topic topic = topics.get(name);
        TopicLook.Answer answer = error instanceof UnknownTopicOrPartitionException
                ? new TopicLook.Answer.Missing()
                : error instanceof TopicAuthorizationException ? new TopicLook.Answer.Forbidden() : null;
        if (topic != null && answer != null) {
            take(topic, answer);
            return obstacle(name, answer);
        }
        if (topic != null && error instanceof RetriableException) {
            topic.nextLook = nanoTime.getAsLong();
            wake();
        }
        return FailureClasses.classify(error);
    }

    /** Sending to a topic takes long: it is looked at now, unless that has just been done. */
    void lookAgain(String name) {
        long now = nanoTime.getAsLong();
        Topic topic = topics.get(name);
        if (topic != null && now - topic.answeredAt > LOOK_AGAIN && topic.nextLook - now > 0) {
            topic.nextLook = now;
            wake();
        }
    }

    /** Whether the cluster has told of a topic within the last seconds. */
    boolean hasJustBeenLookedAt(String name) {
        Topic topic = topics.get(name);
        return topic != null
                && topic.answer instanceof TopicLook.Answer.Good
                && nanoTime.getAsLong() - topic.answeredAt < JUST;
    }

    /**
     * A partition has not answered for long, while others have.
     *
     * @param toBeAsked whether no producer waits for its answer any more: then it is asked every 10 s, until it answers
     */
    void silent(TopicPartition partition, boolean toBeAsked) {
        long now = nanoTime.getAsLong();
        if (silent.putIfAbsent(partition, now + (toBeAsked ? ASK_SILENT : NEVER)) == null) {
            wake();
            log.warn(
                    "Partition {} of topic {} has not answered for 10 s, while others have: its events wait until it does",
                    partition.partition(),
                    partition.topic());
        }
    }

    /** It has answered, or nothing is expected of it any more. */
    void heard(TopicPartition partition) {
        if (!silent.isEmpty() && silent.remove(partition) != null) {
            log.info("Partition {} of topic {} is tried again", partition.partition(), partition.topic());
            listeners.forEach(Runnable::run);
        }
    }

    // ---- what takes nothing

    /**
     * As of a publisher. A partition is named {@code topic/3}, as no topic is. What events wait for is in use; one that was
     * forgotten is looked at before anything goes on. Where no event of this publisher has gone, a relay with other routes may
     * have left them: they go on, and those that do go there wait again.
     */
    int releasable(String blocked) {
        int slash = blocked.lastIndexOf('/');
        String name = slash < 0 ? blocked : blocked.substring(0, slash);
        ready(name);
        Topic topic = topics.get(name);
        if (topic == null || topic.answer == null || topic.answer instanceof TopicLook.Answer.NoAnswer) {
            return 0;
        }
        return topic.routed && isBlocked(topic, blocked) ? 0 : Integer.MAX_VALUE;
    }

    /** Whether it is known that nothing can arrive there. */
    boolean takesNothing(TopicPartition partition) {
        Topic topic = topics.get(partition.topic());
        return topic != null && (isBlocked(topic, topic.name) || isBlocked(topic, name(partition)));
    }

    private boolean isBlocked(Topic topic, String name) {
        return reasons(topic.name, topic.answer).containsKey(name)
                || silent.keySet().stream().anyMatch(one -> name.equals(name(one)));
    }

    private static String name(TopicPartition partition) {
        return partition.topic() + "/" + partition.partition();
    }

    /** What of a topic takes nothing, and why. */
    private static Map<String, String> reasons(String topic, TopicLook.@Nullable Answer answer) {
        Map<String, String> reasons = new LinkedHashMap<>();
        if (answer instanceof TopicLook.Answer.Missing) {
            reasons.put(topic, "missing");
        } else if (answer instanceof TopicLook.Answer.Forbidden) {
            reasons.put(topic, "forbidden");
        } else if (answer instanceof TopicLook.Answer.Good good) {
            for (Integer partition : new TreeSet<>(good.leaderless())) {
                reasons.put(name(new TopicPartition(topic, partition)), "no leader");
            }
        }
        return reasons;
    }

    Map<String, String> blocked() {
        Map<String, String> blocked = new LinkedHashMap<>();
        for (Topic topic : topics.values()) {
            blocked.putAll(reasons(topic.name, topic.answer));
        }
        silent.keySet().forEach(partition -> blocked.put(name(partition), "no answer"));
        blocked.keySet()
                .retainAll(blocked.keySet().stream().sorted().limit(MOST_TOLD).toList());
        return blocked;
    }

    // ---- looking

    /**
     * @return after how many nanoseconds it is to be done again
     */
    long lookAround(TopicLook look) {
        forget();
        long now = nanoTime.getAsLong();
        // Those first that somebody waits for.
        List<Topic> due = Stream.concat(
                        due(now, topic -> topic.answer == null), due(now, topic -> topic.answer != null))
                .limit(BATCH)
                .toList();
        // If this look breaks off, there is another one.
        due.forEach(topic -> topic.nextLook = now + LAST_PROBE);
        if (!due.isEmpty()) {
            Map<String, TopicLook.Answer> answers =
                    look.at(due.stream().map(topic -> topic.name).toList());
            due.forEach(topic -> looked(look, topic, Objects.requireNonNull(answers.get(topic.name))));
        }
        if (topics.values().stream().noneMatch(topic -> topic.provoked)) {
            look.endProvoking();
        }
        askSilent(look, now);
        long next = NEVER;
        long after = nanoTime.getAsLong();
        for (Long nextQuestion : silent.values()) {
            next = Math.min(next, nextQuestion - after);
        }
        for (Topic topic : topics.values()) {
            next = Math.min(next, topic.nextLook - after);
        }
        return Math.max(0, next);
    }

    /** What else is wrong with a topic counts instead; and one that nobody has asked for in a long time is not waited for. */
    private void askSilent(TopicLook look, long now) {
        silent.forEach((partition, nextQuestion) -> {
            if (nextQuestion - now <= 0) {
                silent.replace(partition, nextQuestion, now + ASK_SILENT);
                Topic topic = topics.get(partition.topic());
                if (topic != null && topic.answer instanceof TopicLook.Answer.Good) {
                    look.ask(partition, () -> heard(partition));
                } else {
                    heard(partition);
                }
            }
        });
    }

    private Stream<Topic> due(long now, Predicate<Topic> which) {
        return topics.values().stream()
                .filter(topic -> topic.nextLook - now <= 0)
                .filter(which);
    }

    private void forget() {
        long now = nanoTime.getAsLong();
        int tooMany = topics.size() - MOST_REMEMBERED;
        long memory = tooMany > 0 ? SHORTEST_MEMORY : MEMORY;
        // As of now: others go on asking meanwhile.
        Map<Topic, Long> unused = new HashMap<>();
        for (Topic topic : topics.values()) {
            if (topic.isUnusedFor(memory, now)) {
                unused.put(topic, now - topic.askedForAt);
            }
        }
        unused.entrySet().stream()
                .sorted(Map.Entry.<Topic, Long>comparingByValue().reversed())
                .limit(tooMany > 0 ? tooMany : unused.size())
                .map(entry -> entry.getKey().name)
                .forEach(name -> topics.computeIfPresent(
                        name, (any, still) -> still.isUnusedFor(SHORTEST_MEMORY, now) ? null : still));
    }

    int remembered() {
        return topics.size();
    }

    private void looked(TopicLook look, Topic topic, TopicLook.Answer answer) {
        if (answer instanceof TopicLook.Answer.Missing) {
            boolean first = topic.answer == null;
            if ((!first || !topic.provoked) && look.doBrokersMakeTopics()) {
                topic.provoked = true;
                look.provoke(topic.name);
            }
        } else if (answer instanceof TopicLook.Answer.Good) {
            topic.provoked = false;
        }
        boolean isNew = topic.answer == null && nanoTime.getAsLong() - topic.since < FIRST_PATIENCE;
        boolean unfinished = answer instanceof TopicLook.Answer.Missing && look.doBrokersMakeTopics()
                || answer instanceof TopicLook.Answer.Good good
                        && !good.leaderless().isEmpty();
        if (isNew && unfinished) {
            topic.nextLook = nanoTime.getAsLong() + FIRST_STEP;
        } else {
            take(topic, answer);
        }
    }

    private void take(Topic topic, TopicLook.Answer answer) {
        boolean released = false;
        synchronized (topic) {
            TopicLook.Answer before = topic.answer;
            boolean none = answer instanceof TopicLook.Answer.NoAnswer;
            boolean known = before != null && !(before instanceof TopicLook.Answer.NoAnswer);
            if (none && known) {
                // The cluster is away: what was known of the topic still counts.
                topic.nextLook = nanoTime.getAsLong() + FIRST_PROBE;
            } else {
                topic.answeredAt = nanoTime.getAsLong();
                topic.answer = answer;
                Map<String, String> bad = reasons(topic.name, answer);
                topic.badLooks = bad.isEmpty() ? 0 : topic.badLooks + 1;
                long probe = Math.min(LAST_PROBE, FIRST_PROBE << Math.min(10, Math.max(0, topic.badLooks - 1)));
                topic.nextLook = nanoTime.getAsLong() + (none ? NEVER : bad.isEmpty() ? REFRESH : probe);
                released = notices.tell(topic.name, reasons(topic.name, before), bad);
            }
            topic.lookedAt.complete(null);
        }
        wake();
        if (released) {
            listeners.forEach(Runnable::run);
        }
    }
}
