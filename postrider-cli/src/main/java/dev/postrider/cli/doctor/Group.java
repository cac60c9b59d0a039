package dev.postrider.cli.doctor;

import java.util.Locale;

/** What is looked at, in this order. */
enum Group {
    DATABASE("Database"),
    OUTBOX("Outbox"),
    BROKER("Broker");

    private final String title;

    Group(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /** The name of one of its checks for machines, such as {@code outbox.indexes}. */
    String idOf(String check) {
        return name().toLowerCase(Locale.ROOT) + "." + check;
    }
}
