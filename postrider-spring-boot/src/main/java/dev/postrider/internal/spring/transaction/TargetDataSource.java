package dev.postrider.internal.spring.transaction;

import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/** The data source behind Spring's proxies: two that have the same one are the same database with the same connections. */
final class TargetDataSource {
    private TargetDataSource() {}

    static DataSource of(DataSource dataSource) {
        Set<DataSource> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        DataSource current = dataSource;
        while (seen.add(current)) {
            DataSource next = behind(current);
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
        if (current instanceof DelegatingDataSource delegating) {
            return delegating.getTargetDataSource();
        }
        return current instanceof AbstractRoutingDataSource routing ? onlyTarget(routing) : null;
    }

    /** Null if where it leads depends on the moment. */
    private static @Nullable DataSource onlyTarget(AbstractRoutingDataSource routing) {
        Set<DataSource> targets = new HashSet<>(routing.getResolvedDataSources().values());
        DataSource standard = routing.getResolvedDefaultDataSource();
        if (standard != null) {
            targets.add(standard);
        }
        return targets.size() == 1 ? targets.iterator().next() : null;
    }

    static boolean isRouting(DataSource target) {
        return target instanceof AbstractRoutingDataSource;
    }
}
