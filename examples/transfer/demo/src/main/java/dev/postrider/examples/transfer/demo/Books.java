package dev.postrider.examples.transfer.demo;

import java.util.LinkedHashMap;
import java.util.Map;

/** What the bank's database says, in the words of its view {@code transfer_outbox}. */
final class Books {
    private static final String[] STATES = {"PENDING", "SENDING", "PUBLISHED", "FAILED", "DEAD_LETTER"};

    private final Database database;

    Books(Database database) {
        this.database = database;
    }

    Map<String, Long> byStatus() {
        Map<String, Long> counts = new LinkedHashMap<>();
        for (String status : STATES) {
            counts.put(status, count(status));
        }
        return counts;
    }

    long count(String status) {
        return database.count("select count(*) from transfer_outbox where status = ?", status);
    }

    String statusOf(String transfer) {
        return database.ask("select status from transfer_outbox where aggregate_id = ?", transfer);
    }

    String numberOf(String transfer) {
        return database.ask("select id from transfer_outbox where aggregate_id = ?", transfer);
    }

    long failedSendsOf(String transfer) {
        return database.count("select attempt_count from transfer_outbox where aggregate_id = ?", transfer);
    }

    /** How many failed sends count, of all events together. */
    long failedSends() {
        return database.count("select coalesce(sum(attempt_count), 0) from transfer_outbox");
    }

    String money() {
        return database.ask("select sum(balance) from account");
    }

    /** Of each transfer one, or the other way round, is missing. */
    long withoutTheOther() {
        return database.count("""
                select count(*) from transfer t full join transfer_outbox e on e.aggregate_id = t.id::text
                where t.id is null or e.id is null
                """);
    }
}
