package dev.postrider.spring.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.spring.OutboxHandler;
import dev.postrider.spring.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** Events of the application's own outbox, handled by methods of its beans. */
class OutboxHandlerTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    static class Shipping {
        final List<String> handled = new CopyOnWriteArrayList<>();

        @OutboxHandler("shop.order.paid")
        void ship(OrderPaid paid) {
            if (paid.number() == 666) {
                throw new IllegalStateException("no such product");
            }
            handled.add(paid.order() + paid.number());
        }
    }

    private static long deadLetters(ConfigurableApplicationContext shop) {
        return shop.getBean(JdbcTemplate.class).queryForObject("select count(*) from outbox_dead_letter", Long.class);
    }

    private static List<String> ofA(ConfigurableApplicationContext shop) {
        return shop.getBean(Shipping.class).handled.stream()
                .filter(one -> one.startsWith("a"))
                .toList();
    }

    @Test
    void eventsOfAnAggregateAreHandledInOrderAndGoOnAfterADeadLetter() {
        try (ConfigurableApplicationContext shop = HandlingShop.with(Shipping.class)
                .properties(TestDatabase.properties(TestDatabase.create()))
                .run()) {
            HandlingShop.pay(shop, "a", 1, 2, 666, 3, 4);
            HandlingShop.pay(shop, "b", 1, 2);

            await().atMost(LONG)
                    .until(() -> shop.getBean(Shipping.class).handled.size() == 6);
            assertThat(ofA(shop)).containsExactly("a1", "a2", "a3", "a4");
            assertThat(deadLetters(shop)).isEqualTo(1);
        }
    }

    @Test
    void followersOfADeadLetterWaitIfTheyAreToldTo() {
        try (ConfigurableApplicationContext shop = HandlingShop.with(Shipping.class)
                .properties(TestDatabase.properties(TestDatabase.create()))
                .properties("postrider.relay.dead-letter.then=hold-key")
                .run()) {
            HandlingShop.pay(shop, "a", 1, 666, 2);
            await().atMost(LONG).until(() -> deadLetters(shop) == 1);
            HandlingShop.pay(shop, "b", 1, 2);

            await().atMost(LONG)
                    .until(() -> shop.getBean(Shipping.class).handled.size() == 3);
            assertThat(ofA(shop)).containsExactly("a1");
        }
    }

    static class Kinds {
        private final List<Object> got = new CopyOnWriteArrayList<>();

        /** Not the field: what the context has is a proxy. */
        public List<Object> got() {
            return got;
        }

        @OutboxHandler({"shop.order.paid", "shop.order.refunded"})
        public void whole(OutboxEvent event) {
            got.add(event.type());
        }

        @OutboxHandler("shop.order.both")
        @Transactional
        public void both(OutboxEvent event, OrderPaid paid) {
            got.add(event.aggregateId() + paid.number());
        }

        @OutboxHandler("shop.order.text")
        protected void text(String payload) {
            got.add(payload);
        }

        @OutboxHandler("shop.order.list")
        void list(List<OrderPaid> payload) {
            got.add(payload.get(0));
        }
    }

    @Test
    void handlerTakesWhatItsParametersSay() {
        try (ConfigurableApplicationContext shop = HandlingShop.with(Kinds.class)
                .properties(TestDatabase.properties(TestDatabase.create()))
                .run()) {
            write(shop, "shop.order.paid", "1");
            write(shop, "shop.order.refunded", "1");
            write(shop, "shop.order.both", "{\"order\": \"a\", \"number\": 7}");
            write(shop, "shop.order.text", "\"some text\"");
            write(shop, "shop.order.list", "[{\"order\": \"a\", \"number\": 8}]");

            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(shop.getBean(Kinds.class).got())
                            .containsExactlyInAnyOrder(
                                    "shop.order.paid",
                                    "shop.order.refunded",
                                    "a7",
                                    "\"some text\"",
                                    new OrderPaid("a", 8)));
        }
    }

    static class Threads {
        final List<String> threads = new CopyOnWriteArrayList<>();

        @OutboxHandler("shop.order.paid")
        void ship(OrderPaid paid) {
            threads.add(Thread.currentThread().toString());
        }
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void handlersRunOnVirtualThreadsIfTheApplicationUsesThem() {
        try (ConfigurableApplicationContext shop = HandlingShop.with(Threads.class)
                .properties(TestDatabase.properties(TestDatabase.create()))
                .properties("spring.threads.virtual.enabled=true")
                .run()) {
            HandlingShop.pay(shop, "a", 1);

            await().atMost(LONG).until(() -> shop.getBean(Threads.class).threads.size() == 1);
            assertThat(shop.getBean(Threads.class).threads).first().asString().startsWith("VirtualThread");
        }
    }

    private static void write(ConfigurableApplicationContext shop, String type, String json) {
        shop.getBean(TransactionTemplate.class)
                .executeWithoutResult(status -> shop.getBean(Outbox.class)
                        .write(OutboxEvent.builder(type)
                                .aggregate("order", "a")
                                .json(json)
                                .build()));
    }
}
