package dev.postrider.cli.topics;

import dev.postrider.PostriderException;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.doctor.check.Amounts;
import dev.postrider.cli.kafka.KafkaAccess;
import dev.postrider.cli.settings.Settings;
import dev.postrider.kafka.topics.OpenTransaction;
import dev.postrider.kafka.topics.OpenTransactions;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Ends a transaction that was left open at the broker. */
@Command(
        name = "abort-transaction",
        description = {
            "Ends a transaction that was left open in a partition: its records there are never seen by consumers that read"
                    + " committed ones, and what is behind it is.",
            "Shows what it is and asks first. Without a terminal it changes nothing unless --yes is given.",
            "'postrider doctor' names open transactions with the command that ends them. A transaction that its coordinator"
                    + " still knows is ended in all its partitions, and its producer is shut out."
        },
        footer = {
            "",
            "Examples:",
            "  postrider topics abort-transaction --kafka localhost:9092 --topic order-events --partition 2 --start-offset 4711",
            "  postrider topics abort-transaction --topic order-events --partition 2 --start-offset 4711 --yes"
        })
final class TopicsAbortTransactionCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final CommandEnvironment environment;
    private final SettingsOptions options = new SettingsOptions("kafka.bootstrap-servers", "kafka.properties");

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Option(names = "--topic", required = true, paramLabel = "NAME", description = "The topic, with its prefix.")
    private String topic = "";

    @Option(names = "--partition", required = true, paramLabel = "NUMBER", description = "The partition.")
    private int partition;

    @Option(
            names = "--start-offset",
            required = true,
            paramLabel = "OFFSET",
            description = "Of the transaction's first record in the partition, so that no other one is ended.")
    private long startOffset;

    @Option(names = "--yes", description = "Do not ask.")
    private boolean yes;

    @Option(names = "--dry-run", description = "Say what would be done, and do nothing.")
    private boolean dryRun;

    private TopicsAbortTransactionCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    static CommandLine create(CommandEnvironment environment) {
        TopicsAbortTransactionCommand command = new TopicsAbortTransactionCommand(environment);
        return command.options.addTo(new CommandLine(command));
    }

    @Override
    public Integer call() throws InterruptedException {
        Settings settings = options.read(environment.directory(), environment.variables());
        KafkaAccess kafka = new KafkaAccess(settings, environment.directory());
        TopicPartition where = new TopicPartition(topic, partition);
        try (OpenTransactions transactions = OpenTransactions.connect(kafka.adminSettings(), PATIENCE)) {
            OpenTransaction found = find(transactions, where);
            boolean go = isWanted(found);
            if (go && found.coordinated() == null && !found.isHanging()) {
                throw new PostriderException(
                        "The transaction was not ended: it may still be under way, and ending it would tear apart"
                                + " what belongs together. Use a Kafka user that may Describe its transactional id.");
            }
            if (go) {
                abort(transactions, found);
            }
            report(found, go);
        }
        return CommandLine.ExitCode.OK;
    }

    private OpenTransaction find(OpenTransactions transactions, TopicPartition where) throws InterruptedException {
        List<OpenTransaction> open;
        try {
            open = transactions.find(List.of(where));
        } catch (KafkaException e) {
            throw new PostriderException(
                    "Partition " + where + " cannot be looked at: " + e.getMessage() + " Nothing was changed.", e);
        }
        return open.stream()
                .filter(one -> one.startOffset() == startOffset)
                .findFirst()
                .orElseThrow(() -> new PostriderException("No transaction that begins at offset " + startOffset
                        + " is open in partition " + where + ". " + others(open)));
    }

    private static String others(List<OpenTransaction> open) {
        return open.isEmpty()
                ? "None is open there at all: nothing has to be done."
                : "Open there are those that begin at "
                        + open.stream()
                                .map(one -> String.valueOf(one.startOffset()))
                                .collect(Collectors.joining(", "))
                        + ".";
    }

    /** In JSON nobody is asked: what reads it is a program. */
    private boolean isWanted(OpenTransaction found) {
        if (!common.json()) {
            environment.out().println(describe(found));
        }
        if (dryRun || yes) {
            return !dryRun;
        }
        if (common.json() || !environment.terminal().isThere()) {
            return false;
        }
        String answer = environment.terminal().ask("End it? [y/N] ");
        return answer.strip().toLowerCase(Locale.ROOT).matches("y|yes");
    }

    private static String describe(OpenTransaction one) {
        OpenTransaction.Coordinated known = one.coordinated();
        String age = Amounts.age(one.openFor(Instant.now()).truncatedTo(ChronoUnit.SECONDS));
        String what = "Partition " + one.partition() + ", producer id " + one.producerId() + ", epoch "
                + one.producerEpoch() + ", from offset " + one.startOffset() + " on";
        if (known == null && !one.isHanging()) {
            return what + ", last written to " + age + " ago." + System.lineSeparator()
                    + "Whose it is cannot be seen with these rights: it may be under way, and ended by its producer at any"
                    + " moment.";
        }
        if (known == null || one.isHanging()) {
            return what + ", last written to " + age + " ago." + System.lineSeparator()
                    + "The transaction hangs: no coordinator will end it. Ended here, its records in this partition count as"
                    + " never written, and consumers that read committed records go on behind them. Whether its records in"
                    + " other partitions were committed does not change."
                    + System.lineSeparator()
                    + "If an outbox wrote them, its relay sends again what is not behind its position.";
        }
        return what + ", transactional id " + known.transactionalId() + ", open for " + age + "."
                + System.lineSeparator()
                + "Its coordinator knows it and ends it after " + Amounts.age(known.timeout())
                + " at the latest. Ended now, its records count as never written in all its partitions, and its producer is"
                + " shut out: what it was about to commit it has to send again. A relay of Postrider does so by itself.";
    }

    private static void abort(OpenTransactions transactions, OpenTransaction found) throws InterruptedException {
        try {
            transactions.abort(found);
        } catch (KafkaException e) {
            throw new PostriderException(
                    "The transaction in partition " + found.partition() + " was not ended: " + e.getMessage()
                            + " It takes the right Alter or ClusterAction on the cluster, and Write on the transactional id"
                            + " if there is one. 'postrider doctor' shows whether it is still open.",
                    e);
        }
    }

    private void report(OpenTransaction found, boolean ended) {
        if (!common.json()) {
            environment
                    .out()
                    .println(
                            ended
                                    ? "The transaction is ended."
                                    : "Nothing was changed." + (yes || dryRun ? "" : " With --yes it is ended."));
            return;
        }
        OpenTransaction.Coordinated known = found.coordinated();
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("topic", found.partition().topic());
        object.put("partition", found.partition().partition());
        object.put("startOffset", found.startOffset());
        object.put("producerId", found.producerId());
        object.put("producerEpoch", found.producerEpoch());
        object.put("transactionalId", known == null ? null : known.transactionalId());
        object.put("hanging", found.isHanging());
        object.put("ended", ended);
        environment.printJson(object);
    }
}
