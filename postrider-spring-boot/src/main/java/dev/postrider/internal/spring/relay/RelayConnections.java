package dev.postrider.internal.spring.relay;

import javax.sql.DataSource;

/** Where a relay, or a notifier of relays, gets the connections that it keeps. */
public interface RelayConnections {

    /**
     * @param name of the pool, if one is made
     * @param size how many are kept at the same time
     */
    Open open(String name, int size);

    /**
     * Open until it is closed.
     */
    interface Open extends AutoCloseable {
        DataSource dataSource();

        @Override
        void close();
    }
}
