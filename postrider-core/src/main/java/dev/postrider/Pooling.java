package dev.postrider;

/** The pooler between this process and a PostgreSQL server. */
public enum Pooling {
    /**
     * None, or a pool in this process. Code that needs its own session refuses a connection that goes through a pooler.
     */
    NONE,
    /** A pooler that gives each connection one server session for as long as it is open. */
    SESSION
}
