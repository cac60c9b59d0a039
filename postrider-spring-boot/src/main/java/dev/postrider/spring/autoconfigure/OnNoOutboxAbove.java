package dev.postrider.spring.autoconfigure;

import dev.postrider.internal.spring.relay.OutboxTables;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches unless a context above this one has an outbox. Spring Boot's own condition with the search strategy of ancestors fails in a
 * context that has none.
 */
final class OnNoOutboxAbove extends SpringBootCondition {

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConfigurableListableBeanFactory beans = context.getBeanFactory();
        BeanFactory above = beans == null ? null : beans.getParentBeanFactory();
        boolean there = above instanceof ListableBeanFactory parent
                && BeanFactoryUtils.beanNamesForTypeIncludingAncestors(parent, OutboxTables.class).length > 0;
        return new ConditionOutcome(
                !there,
                ConditionMessage.forCondition("No outbox above")
                        .because(there ? "a parent context has an outbox" : "no parent context has an outbox"));
    }
}
