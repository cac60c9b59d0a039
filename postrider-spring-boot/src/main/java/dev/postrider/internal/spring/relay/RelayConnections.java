package dev.postrider.internal.spring.relay;

import javax.sql.DataSource;

/** Where a relay, or a notifier of relays, gets the connections that it keeps. */
public interface RelayConnections {

    /**
     * @param name of the pool, if one is made
     * @param least how many are kept at the same time, for all that is known
     * @param most how many these may become
     */
    Open open(String name, int least, int most);

    /**
     * Open until it is closed.
     */
    interface Open extends AutoCloseable {
        DataSource dataSource();

        @Override
        void close();
    }
}
