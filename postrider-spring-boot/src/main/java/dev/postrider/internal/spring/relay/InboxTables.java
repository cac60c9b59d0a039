package dev.postrider.internal.spring.relay;

import dev.postrider.InboxSchema;
import dev.postrider.OutboxTable;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.InitializingBean;

/** The tables of the inbox, made when the first bean that uses them is: an application without one has no such tables. */
public final class InboxTables implements InitializingBean {
    private static final Logger log = LoggerFactory.getLogger(InboxTables.class);

    private final DataSource dataSource;
    private final OutboxTable table;
    private final boolean initialize;

    /**
     * @param initialize whether they are made and brought up to date; otherwise whoever uses them tells if they are missing
     */
    public InboxTables(DataSource dataSource, OutboxTable table, boolean initialize) {
        this.dataSource = dataSource;
        this.table = table;
        this.initialize = initialize;
    }

    public String table() {
        return table.toString();
    }

    @Override
    public void afterPropertiesSet() {
        int applied = initialize ? InboxSchema.migrate(dataSource, table()) : 0;
        if (applied > 0) {
            log.info("Inbox {}: {} migration(s) applied", table, applied);
        }
    }
}
