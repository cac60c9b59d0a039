package dev.postrider.internal.housekeeping;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxTable;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.housekeeping.Retention;
import dev.postrider.housekeeping.Schedule;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.jdbc.RelaySession;
import dev.postrider.internal.store.postgres.PostgresStore;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.tests.support.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The time of day is the database's. Its clock is set by hiding the server's own function behind
 * another of the same name.
 */
class RetentionScheduleTest {
    private TestDatabase database;
    private RelaySession session;

    @BeforeEach
    void start() {
        database = TestDatabase.withOutbox();
        PGSimpleDataSource withOwnClock = new PGSimpleDataSource();
        withOwnClock.setUrl(database.jdbcUrl());
        withOwnClock.setUser(DevPostgres.shared().user());
        withOwnClock.setPassword(DevPostgres.shared().password());
        withOwnClock.setOptions("-c search_path=public,pg_catalog");
        session = new RelaySession(withOwnClock, store());
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload, status, created_at,"
                + " published_at) values ('a', 'a', 'a', '1', 'PUBLISHED', '2020-01-01', '2020-01-01')");
    }

    @AfterEach
    void stop() {
        session.close();
        database.close();
    }

    @Test
    void oldEventsAreDeletedAtTwoOClockByTheDatabasesClock() throws SQLException {
        RetentionJob job = job(Schedule.daily(LocalTime.of(2, 0), ZoneOffset.UTC));
        lastRun("2031-05-01T02:00:05Z");

        clock("2031-05-02 01:59:59Z");
        job.step();
        assertThat(rows()).isEqualTo("1");

        clock("2031-05-02 02:00:00Z");
        job.step();
        assertThat(rows()).isEqualTo("0");
        assertThat(lastRun()).isEqualTo("2031-05-02T02:00:00Z");
    }

    @Test
    void zoneDecidesWhatTwoOClockIs() throws SQLException {
        RetentionJob job = job(Schedule.daily(LocalTime.of(2, 0), ZoneId.of("Asia/Seoul")));
        lastRun("2031-05-01T17:00:05Z");

        clock("2031-05-02 02:00:00Z");
        job.step();
        assertThat(rows()).isEqualTo("1");

        clock("2031-05-02 17:00:00Z");
        job.step();
        assertThat(rows()).isEqualTo("0");
    }

    @Test
    void outboxThatWasNeverCleanedWaitsForTheFirstTimeAfterNow() throws SQLException {
        RetentionJob job = job(Schedule.daily(LocalTime.of(2, 0), ZoneOffset.UTC));

        clock("2031-05-02 09:00:00Z");
        job.step();
        assertThat(rows()).isEqualTo("1");
        assertThat(lastRun()).isEqualTo("2031-05-02T09:00:00Z");

        clock("2031-05-03 02:00:00Z");
        job.step();
        assertThat(rows()).isEqualTo("0");
    }

    @Test
    void whatAnotherInstanceHasDoneIsNotDoneAgain() throws SQLException {
        RetentionJob one = job(Schedule.daily(LocalTime.of(2, 0), ZoneOffset.UTC));
        RetentionJob other = job(Schedule.daily(LocalTime.of(2, 0), ZoneOffset.UTC));
        lastRun("2031-05-01T02:00:05Z");
        clock("2031-05-02 02:00:00Z");
        one.step();
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload, status, created_at,"
                + " published_at) values ('a', 'a', 'a', '1', 'PUBLISHED', '2020-01-01', '2020-01-01')");

        other.step();

        assertThat(rows()).isEqualTo("1");
    }

    private RetentionJob job(Schedule schedule) {
        return new RetentionJob(
                "keeper",
                "keeper#1",
                store(),
                null,
                session,
                HousekeepingSettings.builder()
                        .retention(Retention.ofPublished(Duration.ofDays(7)))
                        .schedule(schedule)
                        .build());
    }

    private static OutboxStore store() {
        return new PostgresStore(OutboxTable.DEFAULT, ContentHash.sha256());
    }

    private void clock(String time) {
        database.execute("create or replace function public.clock_timestamp() returns timestamptz"
                + " language sql as $$ select timestamptz '" + time + "' $$");
    }

    private void lastRun(String time) {
        database.execute("insert into outbox_settings values ('retention_last_run', '" + time + "')");
    }

    private String lastRun() {
        return database.one("select value from outbox_settings where name = 'retention_last_run'");
    }

    private String rows() {
        return database.one("select count(*) from outbox");
    }
}
