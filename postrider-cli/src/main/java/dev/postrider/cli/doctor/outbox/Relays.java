package dev.postrider.cli.doctor.outbox;

import dev.postrider.EventStatus;
import dev.postrider.OutboxPause;
import dev.postrider.OutboxStatus;
import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.check.Amounts;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Whether anybody delivers. */
final class Relays implements Check {
    private final DatabaseSession session;
    private final OutboxTable table;

    Relays(DatabaseSession session, OutboxTable table) {
        this.session = session;
        this.table = table;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        OutboxStatus status = session.inTransaction(connection ->
                session.database().outboxStore(table).statusStore(connection).status(connection));
        List<OutboxStatus.RelayLease> alive =
                status.relays().stream().filter(OutboxStatus.RelayLease::alive).toList();
        long waiting = Stream.of(
                        EventStatus.PENDING,
                        EventStatus.SENDING,
                        EventStatus.FAILED,
                        EventStatus.HELD,
                        EventStatus.BLOCKED)
                .mapToLong(status::count)
                .sum();
        List<Finding> findings = new ArrayList<>();
        if (alive.isEmpty() && waiting > 0) {
            findings.add(Finding.warning(
                    "No relay is alive, and " + Amounts.count(waiting, "event") + (waiting == 1 ? " waits." : " wait."),
                    "postrider relay"));
        } else {
            findings.add(Finding.info(
                    alive.isEmpty()
                            ? "No relay is alive; there is nothing to send."
                            : Amounts.count(alive.size(), "relay") + " alive.",
                    null));
        }
        OutboxPause pause = status.pause();
        if (pause != null) {
            findings.add(Finding.warning(
                    "The outbox is paused " + pause.asSentence() + " Relays send nothing.", "postrider resume"));
        }
        for (OutboxStatus.RelayLease relay : alive) {
            if (relay.circuit().equals("open")) {
                findings.add(Finding.warning(
                        "The relay " + relay.owner() + " sends nothing for the moment: its circuit is open, because the"
                                + " broker does not accept events.",
                        "see to the broker; the relay tries again by itself"));
            }
        }
        List<String> ownerless = status.shards().stream()
                .filter(shard -> shard.owner() == null)
                .map(shard -> String.valueOf(shard.number()))
                .toList();
        if (!alive.isEmpty() && !ownerless.isEmpty()) {
            findings.add(Finding.warning(
                    "No relay reads "
                            + (ownerless.size() == 1 ? "shard " : "the shards ")
                            + String.join(", ", ownerless) + ", although " + Amounts.count(alive.size(), "relay")
                            + (alive.size() == 1 ? " is" : " are") + " alive.",
                    "wait some seconds, in which a relay takes a shard that is free, and look again; if it stays so, the"
                            + " relays' logs say why"));
        }
        return findings;
    }
}
