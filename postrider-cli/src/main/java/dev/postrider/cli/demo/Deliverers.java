package dev.postrider.cli.demo;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/** Who delivers the events of the demonstration: processes that can be killed, and started again. */
interface Deliverers extends AutoCloseable {

    /** Starts all, and returns when each delivers. */
    void start(DataSource dataSource) throws SQLException, InterruptedException;

    /** Fails if one has ended by itself. */
    void check();

    List<String> names();

    void kill(String name);

    /** After it was killed. */
    void startAgain(String name);

    /**
     * Makes one stand still for a time.
     *
     * @return false if that is not possible
     */
    boolean pause(String name, Duration length) throws InterruptedException;

    /** Ends all in an orderly way. */
    void stop() throws InterruptedException;

    @Override
    void close();
}
