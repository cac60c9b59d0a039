package dev.postrider.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.postrider.EventStatus;
import dev.postrider.OutboxEvent;
import dev.postrider.Split;
import dev.postrider.internal.store.RowClaim;
import dev.postrider.internal.store.StoredEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What the columns of a row hold. Guarded by its database. */
final class MemoryRow {
    /** With so many relays dead, an event is sent alone. */
    private static final int SUSPECT = 2;

    private static final Duration SLOW = Duration.ofSeconds(1);

    final long id;
    final OutboxEvent event;
    final long keyHash;
    final Instant createdAt;
    EventStatus status = EventStatus.PENDING;
    int attempts;
    int abandoned;
    int version;
    boolean holdsKey;

    @Nullable
    Instant nextAttemptAt;

    @Nullable
    Instant firstFailedAt;

    @Nullable
    Instant publishedAt;

    @Nullable
    Instant lockedAt;

    @Nullable
    String lockedBy;

    @Nullable
    String lastError;

    @Nullable
    String errorClass;

    /** What it waits for, if it is blocked. */
    @Nullable
    String blockedBy;

    MemoryRow(long id, OutboxEvent event, Instant now) {
        this.id = id;
        this.event = asRead(event, now);
        this.keyHash = hashOfKey(event);
        this.createdAt = now;
        this.nextAttemptAt = event.deliverAfter();
    }

    /** A time to wait for is the row's, and an event is read with the time it was written. */
    private static OutboxEvent asRead(OutboxEvent event, Instant now) {
        return new OutboxEvent(
                event.id(),
                event.type(),
                event.aggregateType(),
                event.aggregateId(),
                event.payload(),
                event.key(),
                event.source(),
                event.headers(),
                event.occurredAt() == null ? now : event.occurredAt(),
                event.requestId(),
                null,
                event.maxRetries());
    }

    private static long hashOfKey(OutboxEvent event) {
        String key = event.key() != null ? event.key() : event.aggregateType() + "/" + event.aggregateId();
        return UUID.nameUUIDFromBytes(key.getBytes(UTF_8)).getMostSignificantBits();
    }

    /** In bytes, with headers and names. */
    long size() {
        long size = event.payload().bytes().length;
        for (Map.Entry<String, String> header : event.headers().entrySet()) {
            size += bytes(header.getKey()) + bytes(header.getValue());
        }
        return size
                + bytes(event.type())
                + bytes(event.aggregateType())
                + bytes(event.aggregateId())
                + bytes(event.key())
                + bytes(event.source())
                + bytes(event.requestId());
    }

    private static int bytes(@Nullable String text) {
        return text == null ? 0 : text.getBytes(UTF_8).length;
    }

    boolean isIn(Split split) {
        return Math.floorMod(keyHash, split.of()) == split.index();
    }

    boolean isDue(Instant now) {
        return isWaiting() && (nextAttemptAt == null || !nextAttemptAt.isAfter(now));
    }

    /** Whether it waits for its time. */
    boolean isScheduled(Instant now) {
        return isWaiting() && !isDue(now);
    }

    private boolean isWaiting() {
        return status == EventStatus.PENDING || status == EventStatus.FAILED;
    }

    boolean isSuspect() {
        return abandoned >= SUSPECT;
    }

    boolean isUnsent() {
        return isWaiting()
                || status == EventStatus.SENDING
                || status == EventStatus.HELD
                || status == EventStatus.BLOCKED;
    }

    /** Whether later events of its key have to wait for it. One that waits for its time for the first time holds nothing. */
    boolean holdsBackOthers(Instant now) {
        boolean scheduled = status == EventStatus.PENDING && !isDue(now);
        return isUnsent() && !scheduled || status == EventStatus.DEAD_LETTER && holdsKey;
    }

    /** Whether those behind it are to be set aside, because it may take a while. */
    boolean closesItsKey(Instant now) {
        return switch (status) {
            case FAILED, HELD, BLOCKED, DEAD_LETTER -> true;
            case SENDING -> lockedAt != null && lockedAt.plus(SLOW).isBefore(now);
            case PENDING -> nextAttemptAt != null;
            default -> false;
        };
    }

    boolean isHeldBy(RowClaim claim) {
        return status == EventStatus.SENDING
                && version == claim.version()
                && event.id().toString().equals(claim.eventId());
    }

    StoredEvent take(String owner, Instant now) {
        become(EventStatus.SENDING);
        lockedBy = owner;
        lockedAt = now;
        RowClaim claim = new RowClaim(
                id, event.id().toString(), version, keyHash, attempts, abandoned, Duration.between(createdAt, now));
        return new StoredEvent(claim, event, System.nanoTime());
    }

    /** A change of state is a new version: who has claimed the last one has lost it. */
    void become(EventStatus newStatus) {
        status = newStatus;
        version++;
        lockedBy = null;
        lockedAt = null;
        blockedBy = null;
        holdsKey = false;
    }

    /** It had been due: from now on it is so at once, and so in the order of its key. */
    void release() {
        become(EventStatus.PENDING);
        nextAttemptAt = null;
    }

    void block(@Nullable String destination) {
        become(EventStatus.BLOCKED);
        blockedBy = destination;
    }
}
