package dev.postrider.internal.store.jdbc;

import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.internal.store.SqlErrors;
import java.sql.SQLException;

/** What a user can do about an error of the database. */
public final class Explanation {
    private static final String ABORTED =
            "The transaction was already aborted by an earlier error, so that nothing more can be done"
                    + " in it. Roll it back; what the earlier statement threw says why.";

    private Explanation() {}

    public static PostriderException ofOutbox(SQLException e, OutboxTable table) {
        return of(e, "outbox", table, "OutboxSchema.migrate(..) or 'postrider migrate'");
    }

    public static PostriderException ofInbox(SQLException e, OutboxTable table) {
        return of(e, "inbox", table, "InboxSchema.migrate(..) or 'postrider migrate --inbox'");
    }

    private static PostriderException of(SQLException e, String kind, OutboxTable table, String creation) {
        if (SqlErrors.isMissingTable(e)) {
            return new PostriderException(
                    "There is no " + kind + " table " + table + " in this database. Create it with " + creation + ".",
                    e);
        }
        if (SqlErrors.isAborted(e)) {
            return new PostriderException(ABORTED, e);
        }
        if (SqlErrors.isForbidden(e)) {
            return new PostriderException(
                    "The database user lacks a privilege for " + kind + " " + table + ": " + e.getMessage()
                            + (kind.equals("outbox") ? " 'postrider doctor' lists all that are missing." : ""),
                    e);
        }
        return new PostriderException(
                "The database of " + kind + " " + table + " cannot be used: " + e.getMessage(), e);
    }
}
