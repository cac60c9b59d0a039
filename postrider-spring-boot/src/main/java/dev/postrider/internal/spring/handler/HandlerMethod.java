package dev.postrider.internal.spring.handler;

import dev.postrider.OutboxEvent;
import dev.postrider.internal.spring.event.PayloadReader;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.spring.OutboxHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.MethodParameter;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/** A method of a bean that handles events. Any thread. */
final class HandlerMethod {
    private final BeanFactory beans;
    private final String bean;
    private final Class<?> type;
    private final Method method;
    private final OutboxHandler annotation;

    /** What each parameter takes of the event; null for the event itself. */
    private final @Nullable Type[] parameters;

    private HandlerMethod(BeanFactory beans, String bean, Class<?> type, Method method, OutboxHandler annotation) {
        this.beans = beans;
        this.bean = bean;
        this.type = type;
        this.method = method;
        this.annotation = annotation;
        this.parameters = parameters();
    }

    /**
     * @throws PostriderStartException if the method cannot be a handler
     */
    static HandlerMethod of(BeanFactory beans, String bean, Class<?> type, Method method, OutboxHandler annotation) {
        HandlerMethod handler = new HandlerMethod(beans, bean, type, method, annotation);
        handler.check();
        return handler;
    }

    private @Nullable Type[] parameters() {
        @Nullable Type[] types = new Type[method.getParameterCount()];
        for (int i = 0; i < types.length; i++) {
            MethodParameter parameter = new MethodParameter(method, i).withContainingClass(type);
            types[i] = parameter.getParameterType() == OutboxEvent.class ? null : parameter.getGenericParameterType();
        }
        return types;
    }

    private void check() {
        long payloads = Arrays.stream(parameters).filter(one -> one != null).count();
        long events = parameters.length - payloads;
        if (payloads > 1 || events > 1 || parameters.length == 0) {
            throw refused("takes " + parameters.length + (parameters.length == 1 ? " parameter" : " parameters"));
        }
        if (method.getReturnType() != void.class) {
            throw refused("returns " + method.getReturnType().getSimpleName() + ", which nobody would wait for");
        }
        if (Modifier.isStatic(method.getModifiers()) || Modifier.isPrivate(method.getModifiers())) {
            throw refused("is static or private");
        }
        if (annotation.value().length == 0 || !Arrays.stream(annotation.value()).allMatch(StringUtils::hasText)) {
            throw refused("names no type of event");
        }
    }

    private PostriderStartException refused(String why) {
        return new PostriderStartException(
                "@OutboxHandler on " + this + " " + why + ".",
                "A handler takes the payload, an OutboxEvent, or both; it is neither static nor private, returns nothing, and"
                        + " names the type of its events: @OutboxHandler(\"shop.order.paid\") void ship(OrderPaid paid).");
    }

    /** Empty if it does not say. */
    String outbox() {
        return annotation.outbox();
    }

    boolean isOnce() {
        return annotation.once();
    }

    String transactionManager() {
        return annotation.transactionManager();
    }

    /** Through the bean, so that whatever else is around the method counts. */
    void call(OutboxEvent event, PayloadReader payloads) throws Exception {
        Object target = beans.getBean(bean);
        Method invocable = AopUtils.selectInvocableMethod(method, target.getClass());
        ReflectionUtils.makeAccessible(invocable);
        @Nullable Object[] arguments = new Object[parameters.length];
        for (int i = 0; i < arguments.length; i++) {
            Type wanted = parameters[i];
            arguments[i] = wanted == null ? event : payloads.read(event.payload(), wanted);
        }
        try {
            invocable.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getTargetException();
            if (thrown instanceof Error error) {
                throw error;
            }
            throw thrown instanceof Exception exception ? exception : new IllegalStateException(thrown);
        }
    }

    @Override
    public String toString() {
        return type.getName() + "." + method.getName() + "("
                + String.join(
                        ", ",
                        Arrays.stream(method.getParameterTypes())
                                .map(Class::getSimpleName)
                                .toList()) + ")";
    }
}
