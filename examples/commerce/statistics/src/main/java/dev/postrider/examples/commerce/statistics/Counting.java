package dev.postrider.examples.commerce.statistics;

import dev.postrider.examples.commerce.statistics.ProductEvent.Liked;
import dev.postrider.examples.commerce.statistics.ProductEvent.Paid;
import dev.postrider.examples.commerce.statistics.ProductEvent.Viewed;
import dev.postrider.spring.HandleOnce;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * What counts once, however often it is delivered, and what makes it the same:
 *
 * <ul>
 *   <li>a paid order: the order. Two events about its payment are one sale.
 *   <li>a view: the product and the event. Who looks three times counts three times, a view that is delivered twice once.
 *   <li>a like: the product and the member who likes it.
 * </ul>
 *
 * <p>The marks are written in the transaction of the caller, in which the numbers are too.
 */
@Component
@Transactional(propagation = Propagation.MANDATORY)
class Counting {
    private final JdbcClient jdbc;

    Counting(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @HandleOnce(aggregateType = "Order", aggregateId = "#paid.orderId()", action = "SALES_COUNT_INCREASED")
    public void paid(Paid paid, Tally tally) {
        paid.items().forEach(item -> tally.add(item.productId(), item.quantity()));
    }

    @HandleOnce(
            aggregateType = "ProductView",
            aggregateId = "#viewed.productId() + '_' + #eventId",
            action = "VIEW_COUNT_INCREASED")
    public void viewed(Viewed viewed, String eventId, Tally tally) {
        tally.add(viewed.productId(), 1);
    }

    public void liked(Liked liked, Tally tally) {
        int more = jdbc.sql("insert into product_like (product_id, member) values (?, ?) on conflict do nothing")
                .params(liked.productId(), liked.user())
                .update();
        tally.add(liked.productId(), more);
    }

    public void unliked(Liked liked, Tally tally) {
        int less = jdbc.sql("delete from product_like where product_id = ? and member = ?")
                .params(liked.productId(), liked.user())
                .update();
        tally.add(liked.productId(), -less);
    }
}
