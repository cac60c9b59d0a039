package dev.postrider.cli.doctor;

import dev.postrider.DatabaseFamily;
import dev.postrider.Delivery;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.cli.command.Database;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.DestinationChecks;
import dev.postrider.cli.doctor.check.DoctorDatabase;
import dev.postrider.cli.doctor.check.Finding;
import dev.postrider.cli.doctor.check.Limits;
import dev.postrider.cli.doctor.check.OutboxTraffic;
import dev.postrider.cli.doctor.check.Severity;
import dev.postrider.cli.doctor.mysql.MySqlDoctor;
import dev.postrider.cli.doctor.outbox.OutboxChecks;
import dev.postrider.cli.doctor.outbox.WakeUps;
import dev.postrider.cli.doctor.postgres.PostgresDoctor;
import dev.postrider.internal.store.database.Databases;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The round: database server, outbox, broker. What cannot be reached is a finding, and what depends on it is
 * left out. Changes nothing anywhere.
 */
final class Doctor {
    private static final String CONNECTION = "connection";

    private final Database database;
    private final OutboxTable table;
    private final AtDestination destination;
    private final Limits limits;
    private final Round round = new Round();

    /**
     * What is to be done about the destination.
     *
     * @param checks null if nothing is looked at
     * @param instead said then
     */
    record AtDestination(
            @Nullable DestinationChecks checks, @Nullable Finding instead) {
        static AtDestination look(DestinationChecks checks) {
            return new AtDestination(checks, null);
        }

        static AtDestination nothing(Finding instead) {
            return new AtDestination(null, instead);
        }
    }

    Doctor(Database database, OutboxTable table, AtDestination destination, Limits limits) {
        this.database = database;
        this.table = table;
        this.destination = destination;
        this.limits = limits;
    }

    Diagnosis examine() throws InterruptedException {
        OutboxTraffic outbox = examineDatabase();
        if (destination.instead() != null) {
            round.add(Group.BROKER, CONNECTION, destination.instead());
        }
        if (destination.checks() != null) {
            for (Map.Entry<String, Check> check :
                    destination.checks().of(outbox, limits).entrySet()) {
                round.make(Group.BROKER, check.getKey(), check.getValue());
            }
        }
        return round.diagnosis();
    }

    /**
     * @return what the database could tell about the events
     */
    private OutboxTraffic examineDatabase() throws InterruptedException {
        try (DatabaseSession session = session()) {
            makeAll(Group.DATABASE, session.doctor().server(session, database::connect, limits), session);
            return session.isLost() ? OutboxTraffic.UNKNOWN : examineOutbox(session);
        } catch (PostriderException | SQLException e) {
            round.add(
                    Group.DATABASE,
                    CONNECTION,
                    Finding.error(
                            Finding.sentence(e) + " Neither it nor the outbox was looked at.",
                            "see that the server runs and is reachable from here, and to db.url, db.user and"
                                    + " db.password"));
            return OutboxTraffic.UNKNOWN;
        }
    }

    private DatabaseSession session() throws SQLException {
        Connection connection = database.connect();
        DatabaseFamily family = DatabaseFamily.of(connection);
        DoctorDatabase doctor = switch (family) {
            case POSTGRESQL -> new PostgresDoctor();
            case MYSQL -> new MySqlDoctor();
        };
        return DatabaseSession.on(connection, Databases.of(family), doctor);
    }

    private OutboxTraffic examineOutbox(DatabaseSession session) throws InterruptedException {
        OutboxChecks checks = new OutboxChecks(session, table, limits);
        if (!isUsable(round.make(Group.OUTBOX, "tables", checks.tables()))
                || !isUsable(round.make(Group.OUTBOX, "migrations", checks.version()))) {
            return OutboxTraffic.UNKNOWN;
        }
        Optional<OutboxLayout> layout = round.attempt(Group.OUTBOX, "layout", checks::layout);
        layout.ifPresent(known ->
                round.add(Group.OUTBOX, "layout", Finding.info("The outbox has " + known.describe() + ".", null)));
        makeAll(Group.OUTBOX, checks.others(layout.orElse(null)), session);
        if (!session.isLost()) {
            round.make(Group.OUTBOX, "wake-up", new WakeUps(session, table, database.replication()));
        }
        Optional<String> exactlyOnceId = Optional.empty();
        if (layout.isPresent() && layout.get().delivery() == Delivery.EXACTLY_ONCE && !session.isLost()) {
            exactlyOnceId = round.attempt(Group.OUTBOX, "positions", checks::outboxId);
        }
        Map<String, Long> largestPayloads = destination.checks() == null || session.isLost()
                ? Map.of()
                : round.attempt(Group.OUTBOX, "event-types", () -> OutboxTraffic.readLargestPayloads(session, table))
                        .orElse(Map.of());
        return new OutboxTraffic(largestPayloads, exactlyOnceId);
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
}
