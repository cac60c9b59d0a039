package dev.postrider.internal.store.jdbc;

import dev.postrider.internal.store.AdminStore.Restored;
import dev.postrider.internal.store.AdminStore.SavedEvent;
import java.sql.Connection;
import java.sql.SQLException;

/** How an event of the dead letter file comes back. Runs in the operator's transaction. */
public interface EventRestore {
    Restored bringBack(Connection connection, SavedEvent event) throws SQLException;
}
