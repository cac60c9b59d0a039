package dev.postrider.internal.spring.inbox;

import dev.postrider.spring.HandleOnce;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Calls a method only if its mark is new. Any thread. */
final class OnceInterceptor implements MethodInterceptor {
    private final Supplier<Inboxes> inboxes;

    /** By the method of the target's class. */
    private final Map<Method, OnceMethod> methods = new ConcurrentHashMap<>();

    OnceInterceptor(Supplier<Inboxes> inboxes) {
        this.inboxes = inboxes;
    }

    /** Checks what a class has annotated. */
    void prepare(Class<?> type) {
        MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<@Nullable HandleOnce>)
                        method -> AnnotatedElementUtils.findMergedAnnotation(method, HandleOnce.class))
                .forEach((method, annotation) -> methods.put(method, OnceMethod.of(method, type, annotation)));
    }

    boolean hasMethods() {
        return !methods.isEmpty();
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object bean = invocation.getThis();
        OnceMethod method = methodOf(invocation, bean);
        if (method == null) {
            return invocation.proceed();
        }
        @Nullable
        Object @Nullable [] arguments =
                method.mark(inboxes.get().of(method.consumer()), bean, invocation.getArguments());
        if (arguments == null) {
            return null;
        }
        ((ProxyMethodInvocation) invocation).setArguments(arguments);
        return invocation.proceed();
    }

    private @Nullable OnceMethod methodOf(MethodInvocation invocation, @Nullable Object bean) {
        Class<?> type = bean == null ? invocation.getMethod().getDeclaringClass() : AopUtils.getTargetClass(bean);
        Method specific = AopUtils.getMostSpecificMethod(invocation.getMethod(), type);
        OnceMethod known = methods.get(specific);
        if (known != null) {
            return known;
        }
        HandleOnce annotation = AnnotatedElementUtils.findMergedAnnotation(specific, HandleOnce.class);
        return annotation == null
                ? null
                : methods.computeIfAbsent(
                        specific, one -> OnceMethod.of(one, type, Objects.requireNonNull(annotation)));
    }
}
