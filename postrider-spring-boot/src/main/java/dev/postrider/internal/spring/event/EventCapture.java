package dev.postrider.internal.spring.event;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;

/**
 * Captures events where they come in, before the multicaster: a listener could be run on another thread, which is not in the
 * transaction, and what it throws could be left to an error handler.
 */
public final class EventCapture implements BeanPostProcessor {
    /** Nobody maps the events of the framework itself, some of which come before there are any mappings. */
    private static final String FRAMEWORK = "org.springframework.";

    private final ObjectProvider<CapturedEvents> captured;

    /**
     * @param captured asked for when there is the first event: a post-processor is made before all other beans
     */
    public EventCapture(ObjectProvider<CapturedEvents> captured) {
        this.captured = captured;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        return name.equals(AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME)
                        && bean instanceof ApplicationEventMulticaster multicaster
                ? capturing(multicaster)
                : bean;
    }

    private Object capturing(ApplicationEventMulticaster multicaster) {
        ProxyFactory proxy = new ProxyFactory(multicaster);
        // Whoever asks for it by its class gets it too.
        proxy.setProxyTargetClass(!Modifier.isFinal(multicaster.getClass().getModifiers()));
        proxy.addAdvice(new BeforeListeners(captured));
        return proxy.getProxy();
    }

    static boolean isAround(Object multicaster) {
        return multicaster instanceof Advised proxy
                && Arrays.stream(proxy.getAdvisors()).anyMatch(one -> one.getAdvice() instanceof BeforeListeners);
    }

    private record BeforeListeners(ObjectProvider<CapturedEvents> captured) implements MethodInterceptor {
        @Override
        public @Nullable Object invoke(MethodInvocation call) throws Throwable {
            if (call.getMethod().getName().equals("multicastEvent")
                    && call.getArguments()[0] instanceof ApplicationEvent event
                    && isOfTheApplication(event)) {
                captured.getObject().capture(event);
            }
            return call.proceed();
        }

        private static boolean isOfTheApplication(ApplicationEvent event) {
            return event instanceof PayloadApplicationEvent
                    || !event.getClass().getName().startsWith(FRAMEWORK);
        }
    }
}
