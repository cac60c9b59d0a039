package dev.postrider.cli.doctor.check;

import java.time.Duration;

/**
 * From where on something is worth telling.
 *
 * @param noticeableTransaction a transaction open for longer is an INFO
 * @param longTransaction a transaction open, or prepared and forgotten, for longer is a WARNING
 * @param oldestUnsent an event that waits for longer is a WARNING
 * @param clockSkew between this machine and the database, either way; more is an INFO
 * @param deadRows more of them, and more than live ones, are a WARNING
 * @param slotWal bytes of WAL that an inactive replication slot may hold before it is a WARNING
 * @param freeConnections fewer of them are a WARNING
 */
public record Limits(
        Duration noticeableTransaction,
        Duration longTransaction,
        Duration oldestUnsent,
        Duration clockSkew,
        long deadRows,
        long slotWal,
        long freeConnections) {

    /** Connections for two relays are left. */
    public static final Limits STANDARD = new Limits(
            Duration.ofSeconds(10),
            Duration.ofMinutes(1),
            Duration.ofMinutes(5),
            Duration.ofSeconds(2),
            100_000,
            1L << 30,
            8);
}
