package dev.postrider.spring.autoconfigure;

import java.util.Arrays;
import java.util.List;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;

/**
 * Beans that the application has made for its outboxes: a further one's have its name as qualifier, and are no default candidates; all
 * others are the main one's.
 */
final class OutboxBeans {
    private OutboxBeans() {}

    /** The names of those of a further outbox. */
    static List<String> of(String outbox, ConfigurableListableBeanFactory beans, Class<?> type) {
        return Arrays.stream(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false))
                .filter(name -> BeanFactoryAnnotationUtils.isQualifierMatch(outbox::equals, name, beans))
                .toList();
    }

    /** The names of those of the main outbox. */
    static List<String> unqualified(ConfigurableListableBeanFactory beans, Class<?> type) {
        return Arrays.stream(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false))
                .filter(name -> isDefaultCandidate(beans, name))
                .toList();
    }

    static boolean isDefaultCandidate(ConfigurableListableBeanFactory beans, String name) {
        return !beans.containsBeanDefinition(name)
                || !(beans.getMergedBeanDefinition(name) instanceof AbstractBeanDefinition definition)
                || definition.isAutowireCandidate() && definition.isDefaultCandidate();
    }
}
