package dev.postrider;

/** What stands between here and a PostgreSQL server. */
public enum Pooling {
    /**
     * Nothing, or a pool in this process. Whoever needs a session of its own refuses a connection behind which there is a
     * pooler.
     */
    NONE,
    /** A pooler that gives each connection one session of the server for as long as it is open. */
    SESSION
}
