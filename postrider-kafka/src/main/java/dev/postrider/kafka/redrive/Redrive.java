package dev.postrider.kafka.redrive;

import dev.postrider.PostriderException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;

/**
 * Sends records of a dead letter topic back to the topics they came from, when the reason they died of is gone.
 *
 * <p>Records of a key are sent in the order in which they died. Each has its key, its value and the headers it had before it
 * died, and three more that mark it: {@code postrider-redrive}, {@code postrider-redrive-count} and {@code
 * postrider-redrive-from}. The dead letter topic does not change. The brokers keep what was sent, as the progress of the group
 * {@code postrider-redrive-TOPIC}: a run that was interrupted is continued by the next one, which sends again at most what
 * was sent and not yet recorded. At the first record that is not accepted a run ends, so that nothing overtakes it.
 *
 * <p>One thread. One run at a time for a dead letter topic: a second one is refused.
 */
public final class Redrive implements AutoCloseable {
    private final ClientSettings settings;
    private final Brokers brokers;

    private Redrive(ClientSettings settings, Admin admin) {
        this.settings = settings;
        this.brokers = new Brokers(admin);
    }

    /**
     * @param clientSettings of Kafka's clients: where the brokers are and how to connect to them
     * @throws PostriderException if the clients do not accept them
     */
    public static Redrive connect(Map<String, Object> clientSettings) {
        ClientSettings settings = new ClientSettings(clientSettings);
        settings.deliveryTimeout();
        try {
            return new Redrive(settings, Admin.create(settings.admin()));
        } catch (KafkaException e) {
            throw new PostriderException("Kafka's client does not accept its settings: " + Brokers.rootMessage(e), e);
        }
    }

    /** The group whose progress says what was sent. */
    public static String groupOf(String deadLetterTopic) {
        return "postrider-redrive-" + deadLetterTopic;
    }

    /**
     * Reads the dead letter topic and counts; changes nothing.
     *
     * @param stop whether to end early
     * @param progress is told now and then how far it is
     * @throws PostriderException if the topic does not exist, or the brokers refuse something or do not answer
     */
    public RedrivePlan plan(RedriveRequest request, BooleanSupplier stop, Consumer<RedriveProgress> progress)
            throws InterruptedException {
        try {
            DeadLetterLog log = brokers.look(request.deadLetterTopic());
            PlanScan scan = new PlanScan(request, log, settings);
            RedrivePlan plan = scan.read(stop, progress);
            return new RedrivePlan(
                    request,
                    plan.groups(),
                    plan.matching(),
                    plan.sentBefore(),
                    plan.withoutOrigin(),
                    brokers.problems(plan.groups()),
                    plan.ends());
        } catch (KafkaException e) {
            throw Brokers.explain("The records of " + request.deadLetterTopic() + " cannot be counted", e);
        }
    }

    /**
     * Sends what the plan has.
     *
     * @param stop whether to end early; what is on its way is still recorded
     * @param progress is told now and then how far it is
     * @return what was sent, also if the run ended early
     * @throws PostriderException if nothing was sent: because of a problem of the plan, because somebody else is redriving the
     *     same topic, or because the brokers refuse something or do not answer
     */
    public RedriveReport run(RedrivePlan plan, BooleanSupplier stop, Consumer<RedriveProgress> progress)
            throws InterruptedException {
        plan.problems().values().stream().sorted().findFirst().ifPresent(problem -> {
            throw new PostriderException(problem + " Nothing was sent.");
        });
        String topic = plan.request().deadLetterTopic();
        try {
            brokers.requireNobodyIn(groupOf(topic), stop);
            DeadLetterLog log = brokers.look(topic);
            try (RedriveRun run =
                    new RedriveRun(plan, log, settings, Instant.now().truncatedTo(ChronoUnit.MILLIS))) {
                return run.run(stop, progress);
            }
        } catch (KafkaException e) {
            throw Brokers.explain("The records of " + topic + " cannot be sent", e);
        }
    }

    @Override
    public void close() {
        brokers.close();
    }
}
