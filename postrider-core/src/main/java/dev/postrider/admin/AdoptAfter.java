package dev.postrider.admin;

/** What happened to the database cluster of an outbox that is adopted. */
public enum AdoptAfter {
    /** Its tables were copied into another cluster, whose transactions are numbered differently. */
    RESTORE,
    /** It was upgraded in place: rows and transactions are what they were. */
    UPGRADE;

    /** As it is typed on the command line. */
    public String command() {
        return "postrider adopt --after " + (this == RESTORE ? "restore" : "upgrade");
    }
}
