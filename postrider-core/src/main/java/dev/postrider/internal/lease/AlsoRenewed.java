package dev.postrider.internal.lease;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** What a relay holds beside its own lease and loses with it. Renewed together with it, on the same connection. */
public interface AlsoRenewed {
    AlsoRenewed NOTHING = new AlsoRenewed() {
        @Override
        public void renew(Connection connection, String owner, Duration length) {
            // There is nothing.
        }

        @Override
        public void forget() {
            // There is nothing.
        }
    };

    void renew(Connection connection, String owner, Duration length) throws SQLException;

    /** The relay goes on under another name: what it held under the old one is no longer its. */
    void forget();
}
