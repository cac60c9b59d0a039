package dev.postrider.spring.test;

import dev.postrider.OutboxEvent;
import dev.postrider.OutboxTable;
import dev.postrider.Relay;
import dev.postrider.internal.spring.relay.RelayConnections;
import dev.postrider.settings.IntegritySettings;
import dev.postrider.testing.ManualRelay;
import dev.postrider.testing.RecordingPublisher;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import tools.jackson.databind.json.JsonMapper;

/**
 * What of the running test a relay would publish now, in its order: what was committed and is due. There is no broker: whoever
 * asks has a relay deliver everything that is due, on the spot and to memory. In a test {@link WithoutRelay}, where no other relay
 * takes the events before.
 */
public final class PublishedEvents extends ObservedEvents {
    /** More than a relay keeps, unless it delivers exactly once, which it cannot do to memory. */
    private static final int CONNECTIONS = 8;

    private final WrittenEvents written;
    private final RelayConnections connections;
    private final OutboxTable table;
    private final IntegritySettings integrity;
    private final RecordingPublisher publisher = RecordingPublisher.acceptingAll();

    PublishedEvents(
            WrittenEvents written,
            RelayConnections connections,
            OutboxTable table,
            IntegritySettings integrity,
            JsonMapper json) {
        super(json);
        this.written = written;
        this.connections = connections;
        this.table = table;
        this.integrity = integrity;
    }

    @Override
    public synchronized List<OutboxEvent> all() {
        deliver();
        Set<UUID> ofThisTest = new HashSet<>();
        written.forEach(event -> ofThisTest.add(event.id()));
        return publisher.accepted().stream()
                .filter(event -> ofThisTest.contains(event.id()))
                .toList();
    }

    /** By a relay that lets go of the outbox at the end: other contexts may have the same one. */
    private void deliver() {
        try (RelayConnections.Open open = connections.open("postrider-test", CONNECTIONS, CONNECTIONS)) {
            Relay.Builder relay = Relay.builder(open.dataSource(), publisher).table(table);
            byte[] key = integrity.readKey();
            if (key != null) {
                relay.integrityKey(key);
            }
            if (integrity.check() == IntegritySettings.Check.REQUIRED) {
                relay.integrityRequired();
            }
            try (ManualRelay manual = ManualRelay.of(relay.build())) {
                manual.runUntilIdle();
            }
        }
    }
}
