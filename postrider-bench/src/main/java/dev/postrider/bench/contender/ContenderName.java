package dev.postrider.bench.contender;

import dev.postrider.Delivery;
import dev.postrider.OnPublished;
import dev.postrider.OutboxLayout;
import dev.postrider.bench.contender.debezium.DebeziumContender;
import dev.postrider.bench.contender.gruelbox.GruelboxContender;
import dev.postrider.bench.contender.modulith.ModulithContender;
import dev.postrider.bench.contender.namastack.NamastackContender;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;

/** Everyone who can be measured. */
public enum ContenderName {
    EMPTY("empty", "nothing at all", Kind.LIMIT, place -> new EmptyContender()),
    PRODUCER("producer", "raw Kafka producer, same messages", Kind.LIMIT, RawProducer::ofCloudEvents),
    BARE_PRODUCER("producer-bare", "raw Kafka producer, no headers", Kind.LIMIT, RawProducer::bare),
    LOG("log", "Postrider log", Kind.POSTRIDER, place -> log(place, Delivery.AT_LEAST_ONCE)),
    LOG_EXACTLY_ONCE(
            "exactly-once", "Postrider log, exactly once", Kind.POSTRIDER, place -> log(place, Delivery.EXACTLY_ONCE)),
    CLAIM_KEEP("claim-keep", "Postrider claim, rows kept", Kind.POSTRIDER, place -> claim(place, OnPublished.KEEP)),
    CLAIM_DELETE(
            "claim-delete", "Postrider claim, rows deleted", Kind.POSTRIDER, place -> claim(place, OnPublished.DELETE)),
    NAMASTACK("namastack", "namastack-outbox", Kind.POLLING_PEER, NamastackContender::new),
    MODULITH("modulith", "Spring Modulith", Kind.POLLING_PEER, ModulithContender::new),
    DEBEZIUM("debezium", "Debezium embedded engine", Kind.LOG_PEER, DebeziumContender::new),
    GRUELBOX("gruelbox", "gruelbox transaction-outbox", Kind.POLLING_PEER, GruelboxContender::new);

    /** In whose favour it is measured. */
    public enum Kind {
        LIMIT,
        POSTRIDER,
        /** Reads its table again and again, or sends from the writer's process. */
        POLLING_PEER,
        /** Reads the write-ahead log. */
        LOG_PEER
    }

    private final String label;
    private final String title;
    private final Kind kind;
    private final Function<Place, Contender> maker;

    ContenderName(String label, String title, Kind kind, Function<Place, Contender> maker) {
        this.label = label;
        this.title = title;
        this.kind = kind;
        this.maker = maker;
    }

    private static Contender log(Place place, Delivery delivery) {
        OutboxLayout layout = OutboxLayout.log(place.option("shards", OutboxLayout.DEFAULT.shards()));
        return new PostriderContender(place, layout.delivering(delivery), OnPublished.KEEP);
    }

    private static Contender claim(Place place, OnPublished onPublished) {
        return new PostriderContender(place, OutboxLayout.claim(), onPublished);
    }

    public static Optional<ContenderName> find(String label) {
        return Arrays.stream(values()).filter(name -> name.label.equals(label)).findAny();
    }

    public String label() {
        return label;
    }

    public String title() {
        return title;
    }

    public Kind kind() {
        return kind;
    }

    Contender at(Place place) {
        return maker.apply(place);
    }
}
