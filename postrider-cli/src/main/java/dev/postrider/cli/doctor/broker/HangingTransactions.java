package dev.postrider.cli.doctor.broker;

import dev.postrider.cli.doctor.check.Amounts;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.Finding;
import dev.postrider.cli.doctor.check.Limits;
import dev.postrider.cli.kafka.KafkaAccess;
import dev.postrider.kafka.topics.OpenTransaction;
import dev.postrider.kafka.topics.OpenTransactions;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.common.errors.AuthorizationException;

/** Transactions that hide what comes behind them from consumers that read committed records. */
public final class HangingTransactions implements Check {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final KafkaAccess kafka;
    private final Collection<String> topics;
    private final Limits limits;

    /**
     * @param topics to look into, whether they exist or not
     */
    public HangingTransactions(KafkaAccess kafka, Collection<String> topics, Limits limits) {
        this.kafka = kafka;
        this.topics = List.copyOf(topics);
        this.limits = limits;
    }

    @Override
    public List<Finding> examine() throws InterruptedException {
        try (OpenTransactions transactions = OpenTransactions.connect(kafka.adminSettings(), PATIENCE)) {
            return judge(transactions.find(transactions.partitions(topics)));
        } catch (AuthorizationException e) {
            return List.of(Finding.info(
                    "Whether transactions were left open in the topics is hidden from this user: " + e.getMessage(),
                    "allow it to Read the topics and to Describe transactional ids"));
        }
    }

    private List<Finding> judge(List<OpenTransaction> open) {
        List<Finding> findings = new ArrayList<>();
        Instant now = Instant.now();
        for (OpenTransaction one : open) {
            Duration age = one.openFor(now);
            String inWords = Amounts.age(age.truncatedTo(ChronoUnit.SECONDS));
            OpenTransaction.Coordinated known = one.coordinated();
            if (one.isHanging()) {
                findings.add(Finding.error(
                        "A transaction hangs in partition " + one.partition() + " and will not end by itself: "
                                + producer(one) + ", last written to " + inWords
                                + " ago. Consumers that read committed records see nothing behind it; if the partition holds the"
                                + " position of a shard, no relay can take that shard over.",
                        command(one)));
            } else if (age.compareTo(limits.noticeableTransaction()) > 0) {
                String text = "A transaction in partition " + one.partition() + " has been open for " + inWords
                        + ": " + producer(one)
                        + (known == null
                                ? ". This user may not see which producer it belongs to"
                                : ", transactional id " + known.transactionalId()
                                        + ". It ends with its producer's commit, with the next producer of that id, or "
                                        + Amounts.age(known.timeout()) + " after its begin")
                        + "; consumers that read committed records wait for that.";
                findings.add(
                        age.compareTo(limits.longTransaction()) > 0
                                ? Finding.warning(text, "see to that producer; to end it now: " + command(one))
                                : Finding.info(text, command(one)));
            }
        }
        return findings.isEmpty() ? List.of(Finding.ok("No transaction has been left open.")) : findings;
    }

    private static String producer(OpenTransaction one) {
        return "producer id " + one.producerId() + ", epoch " + one.producerEpoch() + ", from offset "
                + one.startOffset() + " on";
    }

    private static String command(OpenTransaction one) {
        return "postrider topics abort-transaction --topic " + one.partition().topic() + " --partition "
                + one.partition().partition() + " --start-offset " + one.startOffset();
    }
}
