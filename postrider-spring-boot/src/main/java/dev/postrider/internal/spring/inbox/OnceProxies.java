package dev.postrider.internal.spring.inbox;

import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.spring.HandleOnce;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/**
 * Puts {@link OnceInterceptor} around the beans that have {@link HandleOnce} methods: the last one before the method, so that
 * it runs in the transaction that is begun by the same method; and before listeners are found, which would otherwise call
 * the bean without it.
 */
public final class OnceProxies extends AbstractBeanFactoryAwareAdvisingPostProcessor
        implements SmartInitializingSingleton {
    private static final long serialVersionUID = 1L;

    private final transient ObjectProvider<Inboxes> inboxes;
    private final transient OnceInterceptor interceptor;
    private final transient Set<Class<?>> checked = ConcurrentHashMap.newKeySet();

    public OnceProxies(ObjectProvider<Inboxes> inboxes) {
        this.inboxes = inboxes;
        this.interceptor = new OnceInterceptor(inboxes::getObject);
        this.advisor =
                new DefaultPointcutAdvisor(new AnnotationMatchingPointcut(null, HandleOnce.class, true), interceptor);
        setProxyTargetClass(true);
        setOrder(Ordered.LOWEST_PRECEDENCE - 100);
    }

    @Override
    protected boolean isEligible(Class<?> type) {
        boolean eligible = super.isEligible(type);
        if (eligible && checked.add(type)) {
            interceptor.prepare(ClassUtils.getUserClass(type));
        }
        return eligible;
    }

    /** Tables are made now. Without an inbox the methods would be called again and again. */
    @Override
    public void afterSingletonsInstantiated() {
        if (interceptor.hasMethods() && inboxes.getIfAvailable() == null) {
            throw new PostriderStartException(
                    "The application has methods with @HandleOnce, and no inbox to mark what was handled.",
                    "It needs a data source, and postrider.enabled must not be false.");
        }
    }
}
