package dev.postrider.admin;

/** What happened to the database cluster of an outbox that is adopted. */
public enum AdoptAfter {
    /** Its tables were copied into another one, whose transactions are numbered otherwise. */
    RESTORE,
    /** It was upgraded in place: rows and transactions are what they were. */
    UPGRADE;

    /** As it is typed. */
    public String command() {
        return "postrider adopt --after " + (this == RESTORE ? "restore" : "upgrade");
    }
}
