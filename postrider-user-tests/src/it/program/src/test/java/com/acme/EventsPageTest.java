package com.acme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.postrider.EventMapping;
import dev.postrider.JdbcTransactions;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.testing.InMemoryOutbox;
import dev.postrider.testing.RecordingPublisher;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

/** docs/events.md */
class EventsPageTest {
    private final InMemoryOutbox memory = new InMemoryOutbox();

    sealed interface ShopEvent {
        record OrderPaid(String order, String customer, long cents, Instant at) implements ShopEvent {
            @Override
            public <R> R match(Cases<R> cases) {
                return cases.orderPaid(this);
            }
        }

        record ProductLiked(String product, String user) implements ShopEvent {
            @Override
            public <R> R match(Cases<R> cases) {
                return cases.productLiked(this);
            }
        }

        <R> R match(Cases<R> cases);

        interface Cases<R> {
            R orderPaid(OrderPaid paid);

            R productLiked(ProductLiked liked);
        }
    }

    /** The compiler wants a method for every kind of event. */
    private static final class Descriptions implements ShopEvent.Cases<OutboxEvent.Builder> {
        @Override
        public OutboxEvent.Builder orderPaid(ShopEvent.OrderPaid paid) {
            return OutboxEvent.builder("acme.order.paid.v1")
                    .aggregate("order", paid.order())
                    .key(paid.customer()) // one order of events for all that a customer does
                    .occurredAt(paid.at())
                    .requestId("pay-" + paid.order()) // the same order is paid once
                    .maxRetries(20);
        }

        @Override
        public OutboxEvent.Builder productLiked(ShopEvent.ProductLiked liked) {
            return OutboxEvent.builder("acme.product.liked.v1").aggregate("product", liked.product());
        }
    }

    private final Descriptions descriptions = new Descriptions();

    private final EventMapping<ShopEvent> byVisitor =
            EventMapping.json(JsonMapper.shared(), event -> event.match(descriptions));

    private final EventMapping<ShopEvent> byClass = EventMapping.forSealed(ShopEvent.class)
            .json(JsonMapper.shared())
            .on(
                    ShopEvent.OrderPaid.class,
                    paid -> OutboxEvent.builder("acme.order.paid.v1")
                            .aggregate("order", paid.order())
                            .key(paid.customer())
                            .occurredAt(paid.at())
                            .requestId("pay-" + paid.order())
                            .maxRetries(20))
            .on(
                    ShopEvent.ProductLiked.class,
                    liked -> OutboxEvent.builder("acme.product.liked.v1").aggregate("product", liked.product()))
            .build();

    private final ObjectMapper mapper = new ObjectMapper(); // com.fasterxml.jackson.databind

    private final EventMapping<ShopEvent.ProductLiked> withJackson2 = EventMapping.json(
            mapper::writeValueAsString,
            liked -> OutboxEvent.builder("acme.product.liked.v1").aggregate("product", liked.product()));

    private final EventMapping<ShopEvent.ProductLiked> byHand = liked -> OutboxEvent.builder("acme.product.liked.v1")
            .aggregate("product", liked.product())
            .json("{\"product\":\"%s\",\"user\":\"%s\"}".formatted(liked.product(), liked.user()))
            .build();

    @Test
    void eventIsWrittenInTheCurrentTransactionAndTheRelayToldAfterwards() throws SQLException {
        DataSource dataSource = memory.dataSource();
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        try (Relay relay = Relay.builder(dataSource, publisher).build()) {
            EventMapping<ShopEvent> shop = byClass;
            ShopEvent event = new ShopEvent.ProductLiked("p-1", "u-1");
            JdbcTransactions transactions = JdbcTransactions.of(dataSource);
            Outbox outbox = Outbox.builder()
                    .currentTransaction(transactions)
                    .afterCommit(relay::nudge)
                    .build();

            transactions.run(connection -> {
                save(connection, event);
                outbox.write(shop, event); // anywhere on this thread, without a connection
            });
        }

        assertThat(memory.events()).extracting(OutboxEvent::type).containsExactly("acme.product.liked.v1");
    }

    @Test
    void oneOutboxTakesSeveralMappings() throws SQLException {
        Outbox outbox = Outbox.builder().build();
        EventMapping<ShopEvent> shop = byVisitor;
        EventMapping<String> audit = who -> OutboxEvent.builder("acme.audit.noted.v1")
                .aggregate("audit", who)
                .json("{}")
                .build();
        ShopEvent event = new ShopEvent.ProductLiked("p-1", "u-1");
        try (Connection connection = memory.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            outbox.write(connection, shop, event);
            outbox.write(connection, audit, "u-1");
            connection.commit();
        }

        assertThat(memory.events())
                .extracting(OutboxEvent::type)
                .containsExactly("acme.product.liked.v1", "acme.audit.noted.v1");
    }

    static Stream<EventMapping<? super ShopEvent.ProductLiked>> mappings() {
        EventsPageTest page = new EventsPageTest();
        return Stream.of(page.byVisitor, page.byClass, page.withJackson2, page.byHand);
    }

    @ParameterizedTest
    @MethodSource("mappings")
    void everyMappingMakesTheSameEvent(EventMapping<? super ShopEvent.ProductLiked> mapping) {
        OutboxEvent event = mapping.toEvent(new ShopEvent.ProductLiked("p-1", "u-1"));

        assertThat(event.type()).isEqualTo("acme.product.liked.v1");
        assertThat(event.payload().text()).isEqualTo("{\"product\":\"p-1\",\"user\":\"u-1\"}");
    }

    @Test
    void bothWaysSetTheSame() {
        ShopEvent paid = new ShopEvent.OrderPaid("o-1", "c-1", 1250, Instant.parse("2026-01-02T03:04:05Z"));

        for (EventMapping<ShopEvent> mapping : List.of(byVisitor, byClass)) {
            OutboxEvent event = mapping.toEvent(paid);
            assertThat(event.key()).isEqualTo("c-1");
            assertThat(event.requestId()).isEqualTo("pay-o-1");
            assertThat(event.maxRetries()).isEqualTo(20);
        }
    }

    @Test
    void mappingThatLeavesOutAClassIsRefusedAsThePageSays() {
        assertThatThrownBy(() -> EventMapping.forSealed(ShopEvent.class).build())
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("ShopEvent$ProductLiked");
    }

    private static void save(Connection connection, ShopEvent event) {
        assertThat(connection).isNotNull();
        assertThat(event).isNotNull();
    }
}
