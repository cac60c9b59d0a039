package dev.postrider.internal.spring.transaction;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/** What is behind the proxies of a data source. */
final class TargetDataSource {
    /** Spring's own, which change nothing about a connection. Classes that extend these may. */
    private static final Set<Class<?>> PLAIN = Set.of(
            TransactionAwareDataSourceProxy.class, LazyConnectionDataSourceProxy.class, DelegatingDataSource.class);

    private TargetDataSource() {}

    /** The last of them: two data sources that have the same one are the same database with the same connections. */
    static DataSource of(DataSource dataSource) {
        return follow(dataSource, TargetDataSource::behind);
    }

    /**
     * Without the proxies that hand out the connection of this thread's transaction, and with those of the application, which
     * may do something to every connection: set a role, a schema or a time limit.
     */
    static DataSource direct(DataSource dataSource) {
        return follow(dataSource, current -> PLAIN.contains(current.getClass()) ? behind(current) : null);
    }

    private static DataSource follow(DataSource dataSource, Function<DataSource, @Nullable DataSource> step) {
        Set<DataSource> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        DataSource current = dataSource;
        while (seen.add(current)) {
            DataSource next = step.apply(current);
            if (next == null) {
                return current;
            }
            current = next;
        }
        return current;
    }

    private static @Nullable DataSource behind(DataSource current) {
        if (TransactionSynchronizationUtils.unwrapResourceIfNecessary(current) instanceof DataSource unwrapped
                && unwrapped != current) {
            return unwrapped;
        }
        if (AopProxyUtils.getSingletonTarget(current) instanceof DataSource advised) {
            return advised;
        }
        return current instanceof DelegatingDataSource delegating ? delegating.getTargetDataSource() : null;
    }

    /** Also with one target only: which targets there are, and how one is chosen, may change at any time. */
    static boolean isRouting(DataSource target) {
        return target instanceof AbstractRoutingDataSource;
    }
}
