package dev.postrider.bench.contender.gruelbox;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.bench.contender.BenchEvent;
import dev.postrider.bench.contender.Business;
import dev.postrider.bench.contender.Contender;
import dev.postrider.bench.contender.PeerProducer;
import dev.postrider.bench.contender.Place;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * gruelbox transaction-outbox with its own transactions over a pool. After a commit a pool of senders takes the events
 * from memory; what they did not get is found by {@code flush()}, which is called over and over.
 *
 * <p>There are two outboxes on its one table, as in two processes of a user: the one that is used while nothing is
 * delivered submits nothing, and what it writes is due after a second; see {@link Flushing} for the other.
 */
public final class GruelboxContender implements Contender {
    /** When a backlog is due. Not at once: gruelbox refuses what is due before it has looked at it. */
    private static final Duration SOON = Duration.ofSeconds(1);

    private static final int LINGER_MILLIS = 0;

    private final Place place;
    private final HikariDataSource pool;
    private final TransactionManager transactions;
    private @Nullable TransactionOutbox silent;
    private @Nullable PeerProducer producer;
    private volatile @Nullable Flushing flushing;

    public GruelboxContender(Place place) {
        this.place = place;
        this.pool = place.pool(Flushing.SENDERS + 24);
        this.transactions = TransactionManager.fromDataSource(pool);
    }

    @Override
    public void prepare() throws Exception {
        Business.create(pool);
        producer = new PeerProducer(place, LINGER_MILLIS);
        silent = outbox(SOON, (entry, process) -> {});
    }

    private TransactionOutbox outbox(Duration attemptFrequency, Submitter submitter) {
        return TransactionOutbox.builder()
                .transactionManager(transactions)
                .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                .instantiator(Instantiator.using(type -> (EventSender) this::send))
                .attemptFrequency(attemptFrequency)
                .flushBatchSize(Flushing.BATCH)
                .serializeMdc(false)
                .submitter(submitter)
                .build();
    }

    private void send(String key, String document) throws Exception {
        if (producer == null) {
            throw new IllegalStateException("not prepared");
        }
        producer.send(place.topic(), key, document).get();
    }

    @Override
    public void write(List<BenchEvent> events) throws Exception {
        Flushing now = flushing;
        TransactionOutbox outbox = now != null ? now.outbox() : silent;
        if (outbox == null) {
            throw new IllegalStateException("not prepared");
        }
        transactions.inTransactionThrows(transaction -> {
            Business.pay(transaction.connection());
            for (BenchEvent event : events) {
                outbox.schedule(EventSender.class).send(event.key(), event.document());
            }
        });
    }

    @Override
    public void start() {
        flushing = Flushing.start(this::outbox);
    }

    @Override
    public void stop() throws Exception {
        Flushing ending = flushing;
        if (ending != null) {
            flushing = null;
            ending.stop();
        }
    }

    @Override
    public List<String> settings() {
        return List.of(
                "no topics: order is not kept, not even for a key",
                "executor: " + Flushing.SENDERS + " threads, queue of " + Flushing.QUEUE,
                "attemptFrequency=" + Flushing.ATTEMPT_FREQUENCY.toSeconds() + " s, flushBatchSize=" + Flushing.BATCH
                        + ", flush() in a loop",
                "serializeMdc=false",
                PeerProducer.describe(LINGER_MILLIS));
    }

    @Override
    public void close() {
        try {
            stop();
        } catch (Exception e) {
            throw new IllegalStateException("gruelbox did not end: " + e, e);
        } finally {
            if (producer != null) {
                producer.close();
            }
            pool.close();
        }
    }
}
