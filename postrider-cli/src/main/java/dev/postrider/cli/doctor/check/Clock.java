package dev.postrider.cli.doctor.check;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** How far this machine's clock is from the database's. Nothing depends on it but the reading of logs. */
public final class Clock implements Check {
    private final DatabaseSession session;
    private final Limits limits;

    public Clock(DatabaseSession session, Limits limits) {
        this.session = session;
        this.limits = limits;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        Instant before = Instant.now();
        Instant database = Instant.EPOCH.plus(
                session.one(session.doctor().clock(), row -> DatabaseSession.seconds(row, "seconds")));
        Instant after = Instant.now();
        Instant middle = before.plus(Duration.between(before, after).dividedBy(2));
        Duration ahead = Duration.between(middle, database);
        if (ahead.abs().compareTo(limits.clockSkew()) <= 0) {
            return List.of(Finding.ok("The database's clock and this machine's agree."));
        }
        return List.of(Finding.info(
                "The database's clock is " + Amounts.age(ahead.abs()) + (ahead.isNegative() ? " behind" : " ahead of")
                        + " this machine's. Nothing breaks, Postrider uses the database's; but times in logs do not"
                        + " compare.",
                "let NTP set both clocks"));
    }
}
