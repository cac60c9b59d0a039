package dev.postrider.examples.commerce.statistics;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** The table {@code product_statistic}. */
@Repository
@Transactional(propagation = Propagation.MANDATORY)
class ProductStatistics {
    private final JdbcClient jdbc;

    ProductStatistics(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    public void addLikes(Tally tally) {
        add(tally, """
                insert into product_statistic as s (product_id, like_count) values (?, ?)
                on conflict (product_id) do update set like_count = s.like_count + excluded.like_count
                """);
    }

    public void addSales(Tally tally) {
        add(tally, """
                insert into product_statistic as s (product_id, sales_count) values (?, ?)
                on conflict (product_id) do update set sales_count = s.sales_count + excluded.sales_count
                """);
    }

    public void addViews(Tally tally) {
        add(tally, """
                insert into product_statistic as s (product_id, view_count) values (?, ?)
                on conflict (product_id) do update set view_count = s.view_count + excluded.view_count
                """);
    }

    private void add(Tally tally, String sql) {
        tally.byProduct()
                .forEach(
                        (product, count) -> jdbc.sql(sql).params(product, count).update());
    }
}
