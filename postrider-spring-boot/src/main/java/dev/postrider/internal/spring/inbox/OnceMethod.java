package dev.postrider.internal.spring.inbox;

import dev.postrider.Inbox;
import dev.postrider.PostriderException;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.internal.spring.listener.EventView;
import dev.postrider.spring.HandleOnce;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.ResolvableType;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** A method with {@link HandleOnce}: what it marks, and what it is then called with. Any thread. */
final class OnceMethod {
    private static final Logger log = LoggerFactory.getLogger(HandleOnce.class);
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final Method method;
    private final HandleOnce annotation;
    private final @Nullable Expression eventId;
    private final @Nullable Expression aggregateId;

    /** The parameter that is an event, or a list of events; -1 if there is none. */
    private final int event;

    private final boolean events;

    private OnceMethod(Method method, Class<?> type, HandleOnce annotation) {
        this.method = method;
        this.annotation = annotation;
        this.eventId = parse(annotation.eventId());
        this.aggregateId = parse(annotation.aggregateId());
        int found = -1;
        boolean list = false;
        for (int i = 0; i < method.getParameterCount(); i++) {
            MethodParameter parameter = new MethodParameter(method, i).withContainingClass(type);
            boolean isList = parameter.getParameterType() == List.class;
            Class<?> candidate = isList
                    ? ResolvableType.forMethodParameter(parameter).getGeneric(0).toClass()
                    : parameter.getParameterType();
            if (EventView.isEvent(candidate)) {
                found = i;
                list = isList;
            }
        }
        this.event = found;
        this.events = list;
    }

    /**
     * @throws PostriderStartException if it does not say what is to be marked
     */
    static OnceMethod of(Method method, Class<?> type, HandleOnce annotation) {
        OnceMethod once = new OnceMethod(method, type, annotation);
        once.check();
        return once;
    }

    private @Nullable Expression parse(String text) {
        try {
            return text.isEmpty() ? null : PARSER.parseExpression(text);
        } catch (ParseException e) {
            throw refused("has the expression [" + text + "], which cannot be read: " + e.getMessage());
        }
    }

    private void check() {
        boolean byAction = !annotation.action().isEmpty();
        if (method.getReturnType().isPrimitive() && method.getReturnType() != void.class) {
            throw refused("returns " + method.getReturnType() + ", and there is none if it is not called");
        }
        if (byAction && eventId != null) {
            throw refused("has both an eventId and an action");
        }
        if (!byAction && (aggregateId != null || !annotation.aggregateType().isEmpty())) {
            throw refused("names an aggregate without an action");
        }
        if (byAction && events) {
            throw refused("takes a list, of which an action cannot be told");
        }
        if (event < 0
                && (byAction ? aggregateId == null || annotation.aggregateType().isEmpty() : eventId == null)) {
            throw refused("takes no event, so that what is marked has to be said");
        }
    }

    private PostriderStartException refused(String why) {
        return new PostriderStartException(
                "@HandleOnce on " + method.getDeclaringClass().getName() + "." + method.getName() + " " + why + ".",
                "Either it counts events: it takes a ReceivedEvent, an OutboxEvent or a List of them, or eventId is an expression"
                        + " such as \"#id\". Or it counts actions: it has an action, and, unless it takes an event, an aggregateType"
                        + " and an expression for the aggregateId. It returns void or an object.");
    }

    String consumer() {
        return annotation.consumer();
    }

    /**
     * Writes the mark.
     *
     * @return what the method is to be called with; null if it is not to be called
     */
    @Nullable
    Object @Nullable [] mark(Inbox inbox, @Nullable Object bean, @Nullable Object[] arguments) {
        if (!annotation.action().isEmpty()) {
            return isFirst(inbox, bean, arguments) ? arguments : null;
        }
        if (events && eventId == null) {
            return fresh(inbox, arguments);
        }
        String id = eventId != null
                ? text(eventId, bean, arguments)
                : view(arguments).id();
        if (inbox.mark(id)) {
            return arguments;
        }
        log.info("Already processed: event {} is not handled again by {}", id, name());
        return null;
    }

    private boolean isFirst(Inbox inbox, @Nullable Object bean, @Nullable Object[] arguments) {
        String type =
                annotation.aggregateType().isEmpty() ? view(arguments).aggregateType() : annotation.aggregateType();
        String id = aggregateId != null
                ? text(aggregateId, bean, arguments)
                : view(arguments).aggregateId();
        if (type == null || id == null) {
            throw new PostriderException(
                    "The event that " + name()
                            + " got names no aggregate. Say by @HandleOnce(aggregateType = .., aggregateId = ..) what its action is done to.");
        }
        boolean first = inbox.markAction(type, id, annotation.action());
        if (!first) {
            log.debug("Already processed: {} of {} {} is not done again by {}", annotation.action(), type, id, name());
        }
        return first;
    }

    /** A batch may hold an event twice. */
    private @Nullable Object @Nullable [] fresh(Inbox inbox, @Nullable Object[] arguments) {
        List<?> all = (List<?>) required(arguments[event]);
        Set<String> fresh =
                inbox.mark(all.stream().map(one -> EventView.of(one).id()).toList());
        List<Object> remaining = new ArrayList<>(fresh.size());
        for (Object one : all) {
            String id = EventView.of(one).id();
            if (fresh.remove(id)) {
                remaining.add(one);
            } else {
                log.info("Already processed: event {} is not handled again by {}", id, name());
            }
        }
        if (remaining.isEmpty()) {
            return null;
        }
        @Nullable Object[] changed = arguments.clone();
        changed[event] = remaining;
        return changed;
    }

    private EventView view(@Nullable Object[] arguments) {
        return EventView.of(required(arguments[event]));
    }

    private Object required(@Nullable Object argument) {
        if (argument == null) {
            throw new PostriderException("The event that " + name() + " was called with is null.");
        }
        return argument;
    }

    private String text(Expression expression, @Nullable Object bean, @Nullable Object[] arguments) {
        Object value = expression.getValue(new MethodBasedEvaluationContext(bean, method, arguments, NAMES));
        if (value == null) {
            throw new PostriderException("The expression [" + expression.getExpressionString() + "] of @HandleOnce on "
                    + name() + " is null: it has to say which event or aggregate it is.");
        }
        return value.toString();
    }

    private String name() {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }
}
