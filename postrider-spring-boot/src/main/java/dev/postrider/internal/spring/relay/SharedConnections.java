package dev.postrider.internal.spring.relay;

import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.internal.spring.transaction.OutboxDataSource;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.metadata.CompositeDataSourcePoolMetadataProvider;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;

/** Connections of the application's own pool, if that is large enough to be without them. */
public final class SharedConnections implements RelayConnections {
    private static final Logger log = LoggerFactory.getLogger(SharedConnections.class);

    private final OutboxDataSource dataSource;
    private final DataSourcePoolMetadataProvider pools;

    public SharedConnections(OutboxDataSource dataSource, List<DataSourcePoolMetadataProvider> pools) {
        this.dataSource = dataSource;
        this.pools = new CompositeDataSourcePoolMetadataProvider(pools);
    }

    /**
     * {@inheritDoc}
     *
     * @throws PostriderStartException if the application would be left without a connection
     */
    @Override
    public Open open(String name, int least, int most) {
        @Nullable DataSourcePoolMetadata pool = pools.getDataSourcePoolMetadata(dataSource.bean());
        @Nullable Integer max = pool == null ? null : pool.getMax();
        if (max != null && max >= 0 && max <= least) {
            throw new PostriderStartException(
                    "The pool of data source '" + dataSource.name() + "' has " + max
                            + " connections, and Postrider keeps up to " + least
                            + " of them: nothing would be left for the application.",
                    "Make the pool larger by " + least
                            + " connections. Postrider makes a pool of its own if HikariCP is on the class path, and nothing of"
                            + " the application's is around its data source.");
        }
        log.info(
                "Postrider keeps up to {} connections of data source '{}', whose pool has {}",
                most,
                dataSource.name(),
                max == null ? "an unknown number" : max);
        return new Borrowed(dataSource.direct());
    }

    private record Borrowed(DataSource dataSource) implements Open {
        @Override
        public void close() {
            // It is the application's.
        }
    }
}
