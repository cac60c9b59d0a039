package dev.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class EventMappingTest {

    sealed interface Shop {}

    record OrderPaid(String order, String customer) implements Shop {}

    /** A hierarchy within the hierarchy. */
    sealed interface Stock extends Shop {}

    record Sold(String product) implements Stock {}

    /** Others may add to it. */
    static non-sealed class Counted implements Stock {}

    static class CountedTwice extends Counted {}

    /** Two classes for Java, one for people. */
    enum Closing implements Shop {
        FOR_TODAY,
        FOR_EVER {
            @Override
            public String toString() {
                return "for ever";
            }
        }
    }

    /** Sealed, and events can be of it. */
    static sealed class Returned implements Shop {}

    static final class ReturnedLate extends Returned {}

    interface Open {}

    record One() implements Open {}

    record Other() implements Open {}

    @Test
    void descriptionSetsWhatAnEventCanHave() {
        Instant time = Instant.parse("2026-01-02T03:04:05Z");
        EventMapping<OrderPaid> mapping = EventMapping.json(
                paid -> "{\"order\":\"" + paid.order() + "\"}",
                paid -> OutboxEvent.builder("acme.order.paid.v1")
                        .aggregate("order", paid.order())
                        .key(paid.customer())
                        .header("tenant", "7")
                        .occurredAt(time)
                        .requestId("pay-" + paid.order())
                        .deliverAfter(time.plusSeconds(60))
                        .maxRetries(3));

        OutboxEvent event = mapping.toEvent(new OrderPaid("o-1", "c-1"));

        assertThat(event)
                .usingRecursiveComparison()
                .isEqualTo(new OutboxEvent(
                        event.id(),
                        "acme.order.paid.v1",
                        "order",
                        "o-1",
                        Payload.json("{\"order\":\"o-1\"}"),
                        "c-1",
                        null,
                        Map.of("tenant", "7"),
                        time,
                        "pay-o-1",
                        time.plusSeconds(60),
                        3));
    }

    @Test
    void payloadIsMadeByWhateverSerializerThereIs() {
        Function<Object, OutboxEvent.Builder> description = any -> described();

        assertThat(EventMapping.json(JsonMapper.shared(), description)
                        .toEvent(new Sold("p-1"))
                        .payload()
                        .text())
                .isEqualTo("{\"product\":\"p-1\"}");
        Payload bytes = EventMapping.bytes("application/avro", any -> new byte[] {1, 2}, description)
                .toEvent(new Sold("p-1"))
                .payload();
        assertThat(bytes.bytes()).containsExactly(1, 2);
        assertThat(bytes.contentType()).isEqualTo("application/avro");
    }

    @Test
    void payloadOfTheDescriptionComesBeforeTheSerializers() {
        EventMapping<Sold> mapping =
                EventMapping.json(any -> "1", sold -> described().json("2"));

        assertThat(mapping.toEvent(new Sold("p-1")).payload().text()).isEqualTo("2");
    }

    /** What is the same for all events may be described once. */
    @Test
    void eventsOfOneBuilderHaveTheirOwnIdsAndPayloads() {
        OutboxEvent.Builder shared = described();
        EventMapping<Sold> mapping = EventMapping.json(JsonMapper.shared(), sold -> shared);

        OutboxEvent first = mapping.toEvent(new Sold("p-1"));
        OutboxEvent second = mapping.toEvent(new Sold("p-2"));

        assertThat(second.payload().text()).isEqualTo("{\"product\":\"p-2\"}");
        assertThat(second.id()).isNotEqualTo(first.id());
    }

    @Test
    void serializerThatFailsIsSaidWithoutThePayload() {
        Exception broken = new IOException("secret");
        EventMapping<Sold> failing = EventMapping.json(
                any -> {
                    throw broken;
                },
                any -> described());
        EventMapping<Sold> none = EventMapping.json(any -> "no json", any -> described());

        assertThatThrownBy(() -> failing.toEvent(new Sold("p-1")))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining(Sold.class.getName())
                .hasMessageNotContaining("secret")
                .hasCause(broken);
        assertThatThrownBy(() -> none.toEvent(new Sold("p-1")))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("not JSON");
    }

    @Test
    void sealedTypeWithAMappingForEachOfItsClassesIsMappedByClass() {
        EventMapping<Shop> mapping = complete().build();

        assertThat(mapping.toEvent(new OrderPaid("o-1", "c-1")).type()).isEqualTo("acme.order.paid.v1");
        assertThat(mapping.toEvent(new Sold("p-1")).type()).isEqualTo("acme.stock.sold.v1");
        assertThat(mapping.toEvent(new CountedTwice()).type()).isEqualTo("acme.stock.counted.v1");
        assertThat(mapping.toEvent(Closing.FOR_TODAY).type()).isEqualTo("acme.shop.closed.v1");
        assertThat(mapping.toEvent(Closing.FOR_EVER).type()).isEqualTo("acme.shop.closed.v1");
        assertThat(mapping.toEvent(new Returned()).type()).isEqualTo("acme.order.returned.v1");
        assertThat(mapping.toEvent(new ReturnedLate()).type()).isEqualTo("acme.order.late.v1");
    }

    @Test
    void sealedTypeWithAClassThatHasNoMappingIsNotBuiltAndTheClassNamed() {
        ClassMapping.Builder<Shop> incomplete = EventMapping.forSealed(Shop.class)
                .json(JsonMapper.shared())
                .on(OrderPaid.class, paid -> described())
                .on(ReturnedLate.class, late -> described());

        assertThatThrownBy(incomplete::build)
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("have no mapping: "
                        + String.join(
                                ", ",
                                Closing.class.getName(),
                                Counted.class.getName(),
                                Returned.class.getName(),
                                Sold.class.getName())
                        + ". ");
    }

    @Test
    void classThatDoesNotBelongIsRefused() {
        ClassMapping.Builder<Shop> builder = EventMapping.forSealed(Shop.class);

        assertThatThrownBy(() -> builder.on(Stock.class, any -> described()))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining(Stock.class.getName())
                .hasMessageContaining(Sold.class.getName());
        assertThatThrownBy(() -> onAnyClass(builder, String.class))
                .isInstanceOf(PostriderException.class)
                .hasMessage("java.lang.String is not a subtype of " + Shop.class.getName() + ".");
        builder.on(Sold.class, any -> described());
        assertThatThrownBy(() -> builder.on(Sold.class, any -> described()))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("two mappings");
        assertThatThrownBy(() -> EventMapping.forSealed(Open.class))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("not sealed")
                .hasMessageContaining("forOpen");
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // as with raw types, or from other languages
    private static void onAnyClass(ClassMapping.Builder builder, Class any) {
        Function<Object, OutboxEvent.Builder> description = event -> described();
        builder.on(any, description);
    }

    @Test
    void eventWithoutMappingIsRefusedWithThoseThatHaveOne() {
        EventMapping<Open> mapping = EventMapping.forOpen(Open.class)
                .json(JsonMapper.shared())
                .on(One.class, one -> described())
                .build();

        assertThat(mapping.toEvent(new One()).type()).isEqualTo("acme.any.thing.v1");
        assertThatThrownBy(() -> mapping.toEvent(new Other()))
                .isInstanceOf(PostriderException.class)
                .hasMessageStartingWith(Other.class.getName() + " has no mapping; nothing was written.")
                .hasMessageContaining(One.class.getName())
                .hasMessageContaining("on(Other.class, ..)");
    }

    @Test
    void mostSpecificClassThatFitsDescribesTheEvent() {
        EventMapping<Object> mapping = EventMapping.forOpen(Object.class)
                .on(Shop.class, any -> described().json("1"))
                .on(Stock.class, any -> described().json("2"))
                .build();

        assertThat(mapping.toEvent(new Sold("p-1")).payload().text()).isEqualTo("2");
        assertThat(mapping.toEvent(new OrderPaid("o-1", "c-1")).payload().text())
                .isEqualTo("1");
    }

    sealed interface Parcel {}

    non-sealed interface Fragile extends Parcel {}

    non-sealed interface Urgent extends Parcel {}

    static class Glass implements Fragile, Urgent {}

    static class Mirror extends Glass {}

    @Test
    void eventOfTwoMappedTypesIsRefusedUntilOneIsAddedForItself() {
        ClassMapping.Builder<Parcel> parcels = EventMapping.forSealed(Parcel.class)
                .on(Fragile.class, any -> described().json("1"))
                .on(Urgent.class, any -> described().json("2"));
        EventMapping<Parcel> ambiguous = parcels.build();

        assertThatThrownBy(() -> ambiguous.toEvent(new Glass()))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("more than one mapping")
                .hasMessageContaining("on(Glass.class, ..)");
        EventMapping<Parcel> clear =
                parcels.on(Glass.class, any -> described().json("3")).build();
        assertThat(clear.toEvent(new Glass()).payload().text()).isEqualTo("3");
        assertThat(clear.toEvent(new Mirror()).payload().text()).isEqualTo("3");
        assertThat(clear.toEvent(new Fragile() {}).payload().text()).isEqualTo("1");
    }

    @Test
    void mappingWithoutSerializerNeedsThePayloadFromItsDescription() {
        EventMapping<Open> mapping = EventMapping.forOpen(Open.class)
                .on(One.class, one -> described())
                .build();

        assertThatThrownBy(() -> mapping.toEvent(new One()))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("no serializer");
    }

    private static ClassMapping.Builder<Shop> complete() {
        return EventMapping.forSealed(Shop.class)
                .json(JsonMapper.shared())
                .on(OrderPaid.class, paid -> named("acme.order.paid.v1"))
                .on(Sold.class, sold -> named("acme.stock.sold.v1"))
                .on(Counted.class, counted -> named("acme.stock.counted.v1").json("{}"))
                .on(Closing.class, closing -> named("acme.shop.closed.v1"))
                .on(Returned.class, returned -> named("acme.order.returned.v1").json("{}"))
                .on(ReturnedLate.class, late -> named("acme.order.late.v1").json("{}"));
    }

    private static OutboxEvent.Builder described() {
        return named("acme.any.thing.v1");
    }

    private static OutboxEvent.Builder named(String type) {
        return OutboxEvent.builder(type).aggregate("any", "1");
    }
}
