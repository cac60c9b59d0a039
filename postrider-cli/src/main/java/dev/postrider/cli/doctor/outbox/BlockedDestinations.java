package dev.postrider.cli.doctor.outbox;

import dev.postrider.OutboxStatus;
import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.check.Amounts;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import java.sql.SQLException;
import java.util.List;

/** Topics, partitions and URLs that take nothing, and that events wait for. */
final class BlockedDestinations implements Check {
    private final DatabaseSession session;
    private final OutboxTable table;

    BlockedDestinations(DatabaseSession session, OutboxTable table) {
        this.session = session;
        this.table = table;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        OutboxStatus status = session.inTransaction(connection ->
                session.database().outboxStore(table).statusStore(connection).status(connection));
        if (status.blocked().isEmpty()) {
            return List.of(Finding.ok("No event waits for a blocked destination."));
        }
        return status.blocked().stream().map(BlockedDestinations::finding).toList();
    }

    private static Finding finding(OutboxStatus.BlockedDestination one) {
        return Finding.warning(
                one.name() + " is blocked, and " + Amounts.count(one.events(), "event")
                        + (one.events() == 1 ? " waits" : " wait") + " for it: " + one.reason(),
                fix(one));
    }

    private static String fix(OutboxStatus.BlockedDestination one) {
        if (one.reason().contains("no topic")) {
            return "postrider topics apply, or change the route and start the relays again";
        }
        if (one.reason().contains("may not be written") || one.reason().contains("Authorization")) {
            return "grant the relay's user WRITE on the topic, for example: kafka-acls --add --allow-principal User:NAME"
                    + " --operation Write --topic " + one.name();
        }
        String topic = one.name().substring(0, Math.max(0, one.name().lastIndexOf('/')));
        if (one.reason().contains("has no leader")) {
            return "start the brokers that hold this partition: kafka-topics --describe --topic " + topic;
        }
        if (one.reason().startsWith("Partition") && one.reason().contains("does not answer")) {
            return "look after the broker that leads this partition: kafka-topics --describe --topic " + topic;
        }
        return "see to it; the relays try again by themselves";
    }
}
