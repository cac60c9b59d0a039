package dev.postrider.tests.campaign;

import dev.postrider.Delivery;
import dev.postrider.OutboxLayout;

/** What the campaign is waged against. */
enum Configuration {
    LOG("log", false, OutboxLayout.log(4)),
    CLAIM("claim", false, OutboxLayout.claim()),
    EXACTLY_ONCE("exactly-once", false, OutboxLayout.log(4).delivering(Delivery.EXACTLY_ONCE)),
    MARIADB("mariadb", true, OutboxLayout.claim());

    private final String label;
    private final boolean mariaDb;
    private final OutboxLayout layout;

    Configuration(String label, boolean mariaDb, OutboxLayout layout) {
        this.label = label;
        this.mariaDb = mariaDb;
        this.layout = layout;
    }

    String label() {
        return label;
    }

    boolean isMariaDb() {
        return mariaDb;
    }

    OutboxLayout layout() {
        return layout;
    }

    boolean isExactlyOnce() {
        return layout.delivery() == Delivery.EXACTLY_ONCE;
    }
}
