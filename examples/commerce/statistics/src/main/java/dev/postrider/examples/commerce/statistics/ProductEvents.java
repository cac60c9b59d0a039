package dev.postrider.examples.commerce.statistics;

import dev.postrider.examples.commerce.statistics.ProductEvent.Depleted;
import dev.postrider.examples.commerce.statistics.ProductEvent.Liked;
import dev.postrider.examples.commerce.statistics.ProductEvent.Paid;
import dev.postrider.examples.commerce.statistics.ProductEvent.Viewed;
import dev.postrider.kafka.consume.ReceivedEvent;
import dev.postrider.spring.PostriderListener;
import java.util.List;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.json.JsonMapper;

/**
 * Hears what happens to products, up to a hundred events at a time, each hundred in one transaction. Topics have groups of their own:
 * one that is in trouble does not hold up the others. Events of other types are none of our business.
 */
@Component
class ProductEvents {
    private final Counting counting;
    private final ProductStatistics statistics;
    private final ProductCache cache;
    private final JsonMapper json;

    ProductEvents(Counting counting, ProductStatistics statistics, ProductCache cache, JsonMapper json) {
        this.counting = counting;
        this.statistics = statistics;
        this.cache = cache;
        this.json = json;
    }

    @PostriderListener(topics = "like-events", groupId = "commerce-statistics-likes")
    @Transactional
    public void likes(List<ReceivedEvent> events, Acknowledgment acknowledgment) {
        Tally tally = new Tally();
        for (ReceivedEvent event : events) {
            switch (event.type()) {
                case "acme.like.created.v1" -> counting.liked(read(event, Liked.class), tally);
                case "acme.like.canceled.v1" -> counting.unliked(read(event, Liked.class), tally);
                default -> {}
            }
        }
        statistics.addLikes(tally);
        acknowledgment.acknowledge();
    }

    @PostriderListener(topics = "product-view-events", groupId = "commerce-statistics-views")
    @Transactional
    public void views(List<ReceivedEvent> events, Acknowledgment acknowledgment) {
        Tally tally = new Tally();
        for (ReceivedEvent event : events) {
            if (event.type().equals("acme.product.viewed.v1")) {
                counting.viewed(read(event, Viewed.class), event.id(), tally);
            }
        }
        statistics.addViews(tally);
        acknowledgment.acknowledge();
    }

    @PostriderListener(topics = "order-events", groupId = "commerce-statistics-sales")
    @Transactional
    public void orders(List<ReceivedEvent> events, Acknowledgment acknowledgment) {
        Tally tally = new Tally();
        for (ReceivedEvent event : events) {
            if (event.type().equals("acme.order.paid.v1")) {
                counting.paid(read(event, Paid.class), tally);
            }
        }
        statistics.addSales(tally);
        acknowledgment.acknowledge();
    }

    /** What is not in the cache can be evicted as often as one likes: nothing has to be remembered. */
    @PostriderListener(topics = "stock-events", groupId = "commerce-statistics-stock")
    public void stock(List<ReceivedEvent> events, Acknowledgment acknowledgment) {
        for (ReceivedEvent event : events) {
            if (event.type().equals("acme.stock.depleted.v1")) {
                cache.evict(read(event, Depleted.class).productId());
            }
        }
        acknowledgment.acknowledge();
    }

    private <T extends ProductEvent> T read(ReceivedEvent event, Class<T> type) {
        return json.readValue(event.payload().text(), type);
    }
}
