package dev.postrider.cli.doctor;

import dev.postrider.Delivery;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.cli.Database;
import dev.postrider.cli.KafkaTarget;
import dev.postrider.cli.doctor.broker.BrokerChecks;
import dev.postrider.cli.doctor.broker.Cluster;
import dev.postrider.cli.doctor.broker.ClusterLook;
import dev.postrider.cli.doctor.broker.Destinations;
import dev.postrider.cli.doctor.broker.HangingTransactions;
import dev.postrider.cli.doctor.database.DatabaseChecks;
import dev.postrider.cli.doctor.outbox.OutboxChecks;
import dev.postrider.cli.settings.Destination;
import dev.postrider.kafka.KafkaPublisher;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * The round: database server, outbox, broker. What cannot be reached is a finding, and what depends on it is
 * left out. Changes nothing anywhere.
 */
final class Doctor {
    private static final String CONNECTION = "connection";

    private final Database database;
    private final OutboxTable table;
    private final Destination destination;
    private final @Nullable KafkaTarget kafka;
    private final Limits limits;
    private final Round round = new Round();

    /** Of Postrider, beside those of the events. */
    private final List<String> ownTopics = new ArrayList<>();

    /**
     * @param destination the relay's
     * @param kafka null if none is set, or another destination is
     */
    Doctor(Database database, OutboxTable table, Destination destination, @Nullable KafkaTarget kafka, Limits limits) {
        this.database = database;
        this.table = table;
        this.destination = destination;
        this.kafka = kafka;
        this.limits = limits;
    }

    Diagnosis examine() throws InterruptedException {
        Destinations destinations = examineDatabase();
        if (destination != Destination.KAFKA) {
            round.add(
                    Group.BROKER,
                    CONNECTION,
                    Finding.info(
                            "relay.destination is " + destination.name().toLowerCase(Locale.ROOT)
                                    + ": there is no broker to look at.",
                            null));
        } else if (kafka == null) {
            round.add(
                    Group.BROKER,
                    CONNECTION,
                    Finding.info(
                            "kafka.bootstrap-servers is not set, so the broker was not looked at.",
                            "--kafka host:port"));
        } else {
            examineBroker(kafka, destinations);
        }
        return round.diagnosis();
    }

    /**
     * @return where events go, as far as the database could tell
     */
    private Destinations examineDatabase() throws InterruptedException {
        try (DatabaseSession session = DatabaseSession.on(database.connect())) {
            makeAll(Group.DATABASE, DatabaseChecks.of(session, database::connect, limits), session);
            return session.isLost() ? Destinations.none() : examineOutbox(session);
        } catch (PostriderException | SQLException e) {
            round.add(
                    Group.DATABASE,
                    CONNECTION,
                    Finding.error(
                            firstLine(e) + " Neither it nor the outbox was looked at.",
                            "see that the server runs and is reachable from here, and to db.url, db.user and"
                                    + " db.password"));
            return Destinations.none();
        }
    }

    private Destinations examineOutbox(DatabaseSession session) throws InterruptedException {
        OutboxChecks checks = new OutboxChecks(session, table, limits);
        if (!isUsable(round.make(Group.OUTBOX, "tables", checks.tables()))
                || !isUsable(round.make(Group.OUTBOX, "migrations", checks.version()))) {
            return Destinations.none();
        }
        Optional<OutboxLayout> layout = round.attempt(Group.OUTBOX, "layout", checks::layout);
        layout.ifPresent(known ->
                round.add(Group.OUTBOX, "layout", Finding.info("The outbox has " + known.describe() + ".", null)));
        makeAll(Group.OUTBOX, checks.others(layout.orElse(null)), session);
        if (layout.isPresent() && layout.get().delivery() == Delivery.EXACTLY_ONCE && !session.isLost()) {
            round.attempt(Group.OUTBOX, "positions", checks::outboxId)
                    .ifPresent(id -> ownTopics.add(KafkaPublisher.POSITIONS_PREFIX + id));
        }
        if (kafka == null || session.isLost()) {
            return Destinations.none();
        }
        return round.attempt(Group.OUTBOX, "event-types", () -> Destinations.read(session, table, kafka.routing()))
                .orElse(Destinations.none());
    }

    /** Nothing was found if it could not be looked for. */
    private static boolean isUsable(List<Finding> findings) {
        return !findings.isEmpty() && findings.stream().noneMatch(finding -> finding.severity() == Severity.ERROR);
    }

    private void makeAll(Group group, Map<String, Check> checks, DatabaseSession session) throws InterruptedException {
        for (Map.Entry<String, Check> check : checks.entrySet()) {
            round.make(group, check.getKey(), check.getValue());
            if (session.isLost()) {
                round.add(
                        group,
                        CONNECTION,
                        Finding.error(
                                "The connection to the database is lost; what comes after " + check.getKey()
                                        + " was not looked at.",
                                "see that the server runs, and try again"));
                return;
            }
        }
    }

    private void examineBroker(KafkaTarget target, Destinations destinations) throws InterruptedException {
        Cluster cluster;
        try {
            cluster = ClusterLook.at(
                    target.servers(),
                    target.adminSettings(),
                    destinations.topics().keySet());
        } catch (KafkaException e) {
            round.add(
                    Group.BROKER,
                    CONNECTION,
                    Finding.error(
                            "Kafka cannot be reached at " + target.servers() + ": " + firstLine(e)
                                    + " Relays keep trying; no event loses a retry.",
                            "see that the brokers run and are reachable from here under the names they advertise, and"
                                    + " to kafka.bootstrap-servers and the security settings in kafka.properties"));
            return;
        }
        for (Map.Entry<String, Check> check :
                BrokerChecks.of(cluster, destinations, target.maxRequestSize()).entrySet()) {
            round.make(Group.BROKER, check.getKey(), check.getValue());
        }
        List<String> topics = new ArrayList<>(ownTopics);
        topics.addAll(destinations.topics().keySet());
        round.make(Group.BROKER, "transactions", new HangingTransactions(target, topics, limits));
    }

    /** Of the cause that says most, as a sentence. */
    private static String firstLine(Exception e) {
        Throwable cause = e;
        while (cause instanceof KafkaException && cause.getCause() instanceof KafkaException) {
            cause = cause.getCause();
        }
        String line = String.valueOf(cause.getMessage())
                .lines()
                .findFirst()
                .orElse("")
                .strip();
        return line.endsWith(".") ? line : line + ".";
    }
}
