package dev.postrider.tests.support;

/**
 * Makes a database compute with infinite times as PostgreSQL did up to version 16: a difference with one of them is an error.
 */
public final class StrictInfinity {
    private StrictInfinity() {}

    /** For new connections. */
    public static void install(TestDatabase database) {
        database.execute("""
                create schema strict;
                create function strict.difference(a timestamptz, b timestamptz) returns interval
                language plpgsql stable as $$
                begin
                    if not isfinite(a) or not isfinite(b) then
                        raise exception 'cannot subtract infinite timestamps' using errcode = '22008';
                    end if;
                    return a operator(pg_catalog.-) b;
                end $$;
                create operator strict.- (leftarg = timestamptz, rightarg = timestamptz, function = strict.difference);
                do $$ begin
                    execute format('alter database %I set search_path = strict, pg_catalog, public', current_database());
                end $$
                """);
        database.reconnect();
    }
}
