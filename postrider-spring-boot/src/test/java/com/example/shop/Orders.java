package com.example.shop;

import dev.postrider.Outbox;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Orders {
    private final JdbcTemplate jdbc;
    private final Outbox outbox;

    public Orders(JdbcTemplate jdbc, Outbox outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    @Transactional
    public void place(String orderId, long cents) {
        jdbc.update("insert into orders (id, cents) values (?, ?)", orderId, cents);
        outbox.write(new OrderPlaced(orderId, cents));
    }
}
