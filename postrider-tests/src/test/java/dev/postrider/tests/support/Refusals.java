package dev.postrider.tests.support;

import java.util.concurrent.atomic.AtomicInteger;

/** Makes a database refuse what it would take. */
public final class Refusals {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private Refusals() {}

    /**
     * By a trigger that raises an error.
     *
     * @param change insert, update or delete
     * @param condition of {@code new} and {@code old}, in words that both databases understand
     */
    public static void byTrigger(
            TestDatabase database, String table, String change, String condition, String sqlState) {
        String name = "refuse_" + NUMBER.incrementAndGet();
        if (database.server() == TestServer.POSTGRES) {
            database.execute(
                    "create function " + name + "() returns trigger language plpgsql as $$ begin if " + condition
                            + " then raise exception 'refused by a trigger' using errcode = '" + sqlState
                            + "'; end if; return case when tg_op = 'DELETE' then old else new end; end $$");
            database.execute("create trigger " + name + " before " + change + " on " + table
                    + " for each row execute function " + name + "()");
        } else {
            database.execute("create trigger " + name + " before " + change + " on " + table + " for each row begin if "
                    + condition + " then signal sqlstate '" + sqlState
                    + "' set message_text = 'refused by a trigger'; end if; end");
        }
    }

    /** PostgreSQL: by a trigger that raises its error only at the commit. */
    public static void byDeferredTrigger(TestDatabase database, String table, String condition) {
        String name = "refuse_" + NUMBER.incrementAndGet();
        database.execute("create function " + name + "() returns trigger language plpgsql as $$ begin if " + condition
                + " then raise exception 'refused at the commit'; end if; return null; end $$");
        database.execute("create constraint trigger " + name + " after update on " + table
                + " deferrable initially deferred for each row execute function " + name + "()");
    }

    /**
     * PostgreSQL: rows with this {@code created_at} are as if they were damaged. Whoever looks at them fails.
     *
     * @return the time, as a literal
     */
    public static String ofDamagedRows(TestDatabase database) {
        String time = "timestamptz '2001-01-01 00:00:00+00'";
        database.execute("""
                create schema damaged;
                create function damaged.isfinite(at timestamptz) returns boolean language plpgsql stable as $$
                begin
                    if at = timestamptz '2001-01-01 00:00:00+00' then
                        raise exception 'missing chunk number 0 for toast value 16409' using errcode = 'XX001';
                    end if;
                    return pg_catalog.isfinite(at);
                end $$;
                do $$ begin
                    execute format('alter database %I set search_path = damaged, pg_catalog, public', current_database());
                end $$
                """);
        database.reconnect();
        return time;
    }
}
