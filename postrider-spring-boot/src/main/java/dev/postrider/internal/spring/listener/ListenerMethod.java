package dev.postrider.internal.spring.listener;

import dev.postrider.internal.spring.failure.PostriderStartException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.kafka.listener.adapter.ConsumerRecordMetadata;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;

/**
 * What a listener's method takes.
 *
 * @param name for messages
 * @param batch whether it takes a list
 * @param payload what it takes of an event: the event itself, or its payload as this type
 * @param acknowledges whether it takes an {@link Acknowledgment}, and so acknowledges itself
 */
record ListenerMethod(String name, boolean batch, Type payload, boolean acknowledges) {

    /**
     * @throws PostriderStartException if it takes what there is not
     */
    static ListenerMethod of(Method method, Class<?> bean) {
        String name = bean.getName() + "." + method.getName();
        Type payload = null;
        boolean acknowledges = false;
        boolean headers = false;
        for (int i = 0; i < method.getParameterCount(); i++) {
            MethodParameter parameter = new MethodParameter(method, i).withContainingClass(bean);
            if (parameter.getParameterType() == Acknowledgment.class) {
                acknowledges = true;
            } else if (isBeside(parameter)) {
                headers = true;
            } else if (payload == null) {
                payload = parameter.getGenericParameterType();
            } else {
                throw refused(name, "takes two payloads");
            }
        }
        if (payload == null) {
            throw refused(name, "takes no event");
        }
        if (CompletionStage.class.isAssignableFrom(method.getReturnType())) {
            throw refused(name, "returns before its work is done");
        }
        Type element = elementOf(payload);
        if (element != null && headers) {
            throw refused(name, "takes a batch and the headers of one record");
        }
        return new ListenerMethod(name, element != null, element != null ? element : payload, acknowledges);
    }

    /** What the converter provides beside the payload. */
    private static boolean isBeside(MethodParameter parameter) {
        Class<?> type = parameter.getParameterType();
        return parameter.hasParameterAnnotation(Header.class)
                || parameter.hasParameterAnnotation(Headers.class)
                || MessageHeaders.class.isAssignableFrom(type)
                || type == ConsumerRecord.class
                || type == ConsumerRecordMetadata.class
                || type == Consumer.class;
    }

    /** Null if it is no list. */
    private static @Nullable Type elementOf(Type payload) {
        return payload instanceof ParameterizedType list && list.getRawType() == List.class
                ? list.getActualTypeArguments()[0]
                : null;
    }

    private static PostriderStartException refused(String name, String why) {
        return new PostriderStartException(
                "@PostriderListener on " + name + " " + why + ".",
                "It takes a ReceivedEvent, or the payload as a type of yours with @Header parameters beside it, or a List of"
                        + " either; and an Acknowledgment if it acknowledges itself. It returns when the work is done.");
    }
}
