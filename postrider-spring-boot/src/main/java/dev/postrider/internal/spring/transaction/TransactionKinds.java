package dev.postrider.internal.spring.transaction;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;

/** Which kinds of transactions an application has, for messages about those that an outbox cannot join. */
final class TransactionKinds {
    /** By name, because it cannot be loaded without the API of such transactions. */
    private static final String JTA = "org.springframework.transaction.jta.JtaTransactionManager";

    private final ListableBeanFactory beans;

    TransactionKinds(ListableBeanFactory beans) {
        this.beans = beans;
    }

    boolean hasJta() {
        return types().stream().anyMatch(TransactionKinds::isJta);
    }

    static boolean isJta(Class<?> type) {
        for (Class<?> one = type; one != null; one = one.getSuperclass()) {
            if (one.getName().equals(JTA)) {
                return true;
            }
        }
        return false;
    }

    boolean areAllReactive() {
        List<Class<?>> types = types();
        return !types.isEmpty() && types.stream().noneMatch(PlatformTransactionManager.class::isAssignableFrom);
    }

    private List<Class<?>> types() {
        List<Class<?>> types = new ArrayList<>();
        for (String name : beans.getBeanNamesForType(TransactionManager.class, true, false)) {
            @Nullable Class<?> type = beans.getType(name);
            if (type != null) {
                types.add(type);
            }
        }
        return types;
    }
}
