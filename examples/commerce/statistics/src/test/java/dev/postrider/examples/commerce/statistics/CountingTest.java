package dev.postrider.examples.commerce.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.postrider.examples.Requirement;
import dev.postrider.examples.commerce.statistics.Api.Event;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Everything counts once, however often it is delivered. */
class CountingTest extends CommerceStatisticsTest {

    @Test
    @Requirement({"C10", "C11"})
    void threeViewsEachDeliveredTwiceAreThree() {
        long product = newProduct();
        Event first = Api.viewed(product);
        Event second = Api.viewed(product);
        Event third = Api.viewed(product);

        deliver(first, first, second, third, second, third);

        assertThat(of(product)).isEqualTo(new Statistic(0, 0, 3));
        assertThat(marks("ProductView", product + "_" + first.id(), "VIEW_COUNT_INCREASED"))
                .isEqualTo(1);
    }

    @Test
    @Requirement({"C10", "C11"})
    void orderThatIsPaidTwiceUnderDifferentIdsIsSoldOnceByQuantity() {
        long cup = newProduct();
        long pot = newProduct();
        UUID order = UUID.randomUUID();

        deliver(Api.paid(order, Map.of(cup, 3, pot, 1)), Api.paid(order, Map.of(cup, 3, pot, 1)));
        deliver(Api.paid(UUID.randomUUID(), Map.of(cup, 2)));

        assertThat(of(cup)).isEqualTo(new Statistic(0, 5, 0));
        assertThat(of(pot)).isEqualTo(new Statistic(0, 1, 0));
        assertThat(marks("Order", order.toString(), "SALES_COUNT_INCREASED")).isEqualTo(1);
    }

    /** How many marks there are of an action on an aggregate, whichever way the inbox writes them. */
    private long marks(String type, String id, String action) {
        return jdbc.sql("select count(*) from inbox where subject like ?")
                .param("%" + type + "%" + id + "%" + action + "%")
                .query(Long.class)
                .single();
    }

    @Test
    @Requirement({"C10", "C11"})
    void productThatIsLikedTwiceBySomebodyIsLikedOnce() {
        long product = newProduct();

        deliver(Api.liked(product, "ann"), Api.liked(product, "ann"), Api.liked(product, "bob"));
        assertThat(of(product)).isEqualTo(new Statistic(2, 0, 0));

        Event noMore = Api.unliked(product, "ann");
        deliver(noMore, noMore, Api.unliked(product, "carl"));
        assertThat(of(product)).isEqualTo(new Statistic(1, 0, 0));
    }

    @Test
    @Requirement("C11")
    void productThatIsSoldOutIsEvictedAndNoOther(@Autowired StringRedisTemplate redis) {
        long soldOut = newProduct();
        long other = newProduct();
        redis.opsForValue().set("product:" + soldOut, "{}");
        redis.opsForValue().set("product:" + other, "{}");

        deliver(Api.depleted(soldOut), Api.depleted(soldOut));

        assertThat(redis.hasKey("product:" + soldOut)).isFalse();
        assertThat(redis.hasKey("product:" + other)).isTrue();
    }

    /** Were the mark not in the transaction that fails, the second attempt would find it and count nothing. */
    @Test
    @Requirement("C10")
    void workThatFailsLeavesNoMarkAndIsDoneLater() {
        long product = newProduct();
        UUID order = UUID.randomUUID();
        // Fails at the first attempt only: a sequence goes on, whatever becomes of the transaction.
        jdbc.sql("create sequence attempts_at_closed_product").update();
        jdbc.sql("""
                create function fail_first() returns trigger language plpgsql as $$
                begin
                    if nextval('attempts_at_closed_product') = 1 then
                        raise exception 'not yet';
                    end if;
                    return new;
                end $$
                """).update();
        jdbc.sql("create trigger fail_first before insert on product_statistic for each row when (new.product_id = "
                        + product + ") execute function fail_first()")
                .update();
        try (Log log = new Log()) {
            Event paid = Api.paid(order, Map.of(product, 2));

            deliver(paid);

            assertThat(log.has(Level.WARN, "attempt 1 of event " + paid.id())).isTrue();
        }
        assertThat(of(product)).isEqualTo(new Statistic(0, 2, 0));
        assertThat(marks("Order", order.toString(), "SALES_COUNT_INCREASED")).isEqualTo(1);
    }

    @Test
    @Requirement("C15")
    void ordinaryTrafficIsNotLogged() {
        long product = newProduct();
        Event viewed = Api.viewed(product);
        deliver(viewed);
        try (Log log = new Log()) {
            deliver(Api.viewed(product), Api.liked(product, "ann"), Api.depleted(product), viewed);

            assertThat(log.ofOursFrom(Level.INFO)).isEmpty();
        }
    }

    /** Before the groups were there, somebody liked it. */
    @Test
    @Requirement("C12")
    void newGroupStartsWithWhatComesFromNowOn() {
        deliver(Api.liked(PRODUCT_FROM_BEFORE, "bob"));

        assertThat(of(PRODUCT_FROM_BEFORE)).isEqualTo(new Statistic(1, 0, 0));
    }

    @Test
    @Requirement("C11")
    void otherEventsOfTheTopicsAreNoneOfOurBusiness() {
        long product = newProduct();
        UUID order = UUID.randomUUID();
        long before = deadLettersOf("order-events");

        deliver(new Event("order-events", "acme.order.created.v1", order, "{\"orderId\": 7, \"items\": \"none\"}"));
        deliver(Api.paid(order, Map.of(product, 1)));

        assertThat(of(product)).isEqualTo(new Statistic(0, 1, 0));
        assertThat(List.of(deadLettersOf("order-events"))).containsExactly(before);
    }
}
