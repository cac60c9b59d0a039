package dev.postrider.tests.campaign;

import dev.postrider.Delivery;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;

/** What the campaign is waged against. */
enum Configuration {
    LOG("log", false, OutboxLayout.log(4), 1),
    CLAIM("claim", false, OutboxLayout.claim(), 1),
    EXACTLY_ONCE("exactly-once", false, OutboxLayout.log(4).delivering(Delivery.EXACTLY_ONCE), 1),
    MARIADB("mariadb", true, OutboxLayout.claim(), 1),
    THREE_BROKERS("three-brokers", false, OutboxLayout.log(4), 3);

    private final String label;
    private final boolean mariaDb;
    private final OutboxLayout layout;
    private final int brokers;

    Configuration(String label, boolean mariaDb, OutboxLayout layout, int brokers) {
        this.label = label;
        this.mariaDb = mariaDb;
        this.layout = layout;
        this.brokers = brokers;
    }

    String label() {
        return label;
    }

    /** Before the names of its topics. */
    String topicPrefix() {
        return label + "-";
    }

    boolean isMariaDb() {
        return mariaDb;
    }

    OutboxLayout layout() {
        return layout;
    }

    boolean isLog() {
        return layout.mode() == OutboxMode.LOG;
    }

    int brokers() {
        return brokers;
    }

    boolean isExactlyOnce() {
        return layout.delivery() == Delivery.EXACTLY_ONCE;
    }
}
