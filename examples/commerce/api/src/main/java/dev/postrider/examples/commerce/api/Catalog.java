package dev.postrider.examples.commerce.api;

import dev.postrider.Outbox;
import dev.postrider.examples.commerce.api.event.DomainEvent.Item;
import dev.postrider.examples.commerce.api.event.DomainEvent.LikeCanceled;
import dev.postrider.examples.commerce.api.event.DomainEvent.LikeCreated;
import dev.postrider.examples.commerce.api.event.DomainEvent.ProductViewed;
import dev.postrider.examples.commerce.api.event.DomainEvent.StockDepleted;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** The products, who likes them, and how much of them is there. */
@Service
public class Catalog {
    private final JdbcClient jdbc;
    private final ProductCache cache;
    private final Outbox outbox;

    Catalog(JdbcClient jdbc, ProductCache cache, Outbox outbox) {
        this.jdbc = jdbc;
        this.cache = cache;
        this.outbox = outbox;
    }

    @Transactional
    public Product add(Product.Offer offer) {
        return jdbc.sql("insert into product (name, price, stock) values (?, ?, ?) returning id, name, price, stock")
                .params(offer.name(), offer.price(), offer.stock())
                .query(Product.class)
                .single();
    }

    /** As it was when it was cached, which may be a while ago. */
    public Product get(long id) {
        return cache.get(id).orElseGet(() -> {
            Product product = read(id);
            cache.put(product);
            return product;
        });
    }

    private Product read(long id) {
        return jdbc.sql("select id, name, price, stock from product where id = ?")
                .param(id)
                .query(Product.class)
                .optional()
                .orElseThrow(() -> new NotThereException("There is no product " + id + "."));
    }

    @Transactional
    public void view(long id, String user) {
        read(id);
        outbox.write(new ProductViewed(Instant.now(), id, user));
    }

    /** Whoever likes a product already changes nothing. */
    @Transactional
    public void like(long id, String user) {
        read(id);
        int likes = jdbc.sql("insert into product_like (product_id, member) values (?, ?) on conflict do nothing")
                .params(id, user)
                .update();
        if (likes == 1) {
            outbox.write(new LikeCreated(Instant.now(), id, user));
        }
    }

    @Transactional
    public void unlike(long id, String user) {
        int likes = jdbc.sql("delete from product_like where product_id = ? and member = ?")
                .params(id, user)
                .update();
        if (likes == 1) {
            outbox.write(new LikeCanceled(Instant.now(), id, user));
        }
    }

    /** In the transaction of an order, which fails if one of the products is not there in that quantity. */
    @Transactional(propagation = Propagation.MANDATORY)
    public void take(List<Item> items) {
        for (Item item : inOrder(items)) {
            int left = jdbc.sql("update product set stock = stock - ? where id = ? and stock >= ? returning stock")
                    .params(item.quantity(), item.productId(), item.quantity())
                    .query(Integer.class)
                    .optional()
                    .orElseThrow(() -> new NotPossibleException(
                            "There are not " + item.quantity() + " of product " + item.productId() + "."));
            if (left == 0) {
                outbox.write(new StockDepleted(Instant.now(), item.productId()));
            }
        }
    }

    @Transactional(propagation = Propagation.MANDATORY)
    public void putBack(List<Item> items) {
        for (Item item : inOrder(items)) {
            jdbc.sql("update product set stock = stock + ? where id = ?")
                    .params(item.quantity(), item.productId())
                    .update();
        }
    }

    /** Two orders of the same products lock them in the same order, so that neither waits for the other. */
    private static List<Item> inOrder(List<Item> items) {
        return items.stream().sorted(Comparator.comparingLong(Item::productId)).toList();
    }
}
