package dev.postrider.examples.transfer.demo;

/** What fraud detection has written down. */
final class RiskLog {
    private final Database database;

    RiskLog(Database database) {
        this.database = database;
    }

    long size() {
        return database.count("select count(*) from fraud.risk_log");
    }

    long transfers() {
        return database.count("select count(distinct transfer_id) from fraud.risk_log");
    }

    boolean has(String transfer) {
        return database.count("select count(*) from fraud.risk_log where transfer_id::text = ?", transfer) == 1;
    }

    long suspicious() {
        return database.count("select count(*) from fraud.risk_log where score >= 70");
    }
}
