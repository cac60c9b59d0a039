package dev.postrider.internal.spring.listener;

import dev.postrider.internal.spring.event.HandlingScope;
import dev.postrider.internal.spring.event.PayloadReader;
import dev.postrider.kafka.consume.ConsumerSettings;
import dev.postrider.kafka.consume.DeadLetterTopics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.kafka.config.AbstractKafkaListenerEndpoint;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpoint;
import org.springframework.kafka.config.MethodKafkaListenerEndpoint;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.adapter.BatchMessagingMessageListenerAdapter;
import org.springframework.kafka.listener.adapter.RecordMessagingMessageListenerAdapter;
import org.springframework.util.backoff.FixedBackOff;

/** Makes the containers of {@code @PostriderListener} methods. */
public final class ListenerContainers extends ConcurrentKafkaListenerContainerFactory<byte[], byte[]>
        implements DisposableBean {
    private static final Duration FORBIDDEN = Duration.ofSeconds(10);

    /** A record that waits for its retry waits for the end of a poll too, in which nothing can arrive: its partition is paused. */
    private static final Duration POLL = Duration.ofMillis(200);

    private final ConsumerSettings settings;
    private final Map<String, Object> properties;
    private final PayloadReader payloads;
    private final HandlingScope scope;

    /** One for each listener, since they may be of different groups. */
    private final List<DeadLetterTopics> deadLetters = new CopyOnWriteArrayList<>();

    /**
     * @param properties of Kafka's consumer, complete
     */
    public ListenerContainers(
            ConsumerSettings settings,
            int concurrency,
            Map<String, Object> properties,
            PayloadReader payloads,
            HandlingScope scope) {
        this.settings = settings;
        this.properties = Map.copyOf(properties);
        this.payloads = payloads;
        this.scope = scope;
        setConsumerFactory(new DefaultKafkaConsumerFactory<>(this.properties));
        setConcurrency(concurrency);
        ContainerProperties container = getContainerProperties();
        container.setPollTimeout(POLL.toMillis());
        container.setAckMode(ContainerProperties.AckMode.MANUAL);
        container.setAssignmentCommitOption(ContainerProperties.AssignmentCommitOption.NEVER);
        container.setConsumerRebalanceListener(new StartOfGroup(settings.startAt()));
        // What is forbidden may be allowed later: a container that has stopped would not notice.
        container.setAuthExceptionRetryInterval(FORBIDDEN);
        setCommonErrorHandler(neverSkipping());
    }

    /** For what is no failure of a listener's method; those do not get so far. */
    private static DefaultErrorHandler neverSkipping() {
        DefaultErrorHandler handler = new DefaultErrorHandler(new FixedBackOff(1_000, FixedBackOff.UNLIMITED_ATTEMPTS));
        handler.setClassifications(Map.of(), true);
        return handler;
    }

    @Override
    public ConcurrentMessageListenerContainer<byte[], byte[]> createListenerContainer(KafkaListenerEndpoint endpoint) {
        if (endpoint instanceof AbstractKafkaListenerEndpoint<?, ?> configurable) {
            configurable.setBatchListener(methodOf(endpoint).batch());
        }
        return super.createListenerContainer(endpoint);
    }

    private static ListenerMethod methodOf(KafkaListenerEndpoint endpoint) {
        MethodKafkaListenerEndpoint<?, ?> ofMethod = (MethodKafkaListenerEndpoint<?, ?>) endpoint;
        return ListenerMethod.of(
                Objects.requireNonNull(ofMethod.getMethod()),
                AopUtils.getTargetClass(Objects.requireNonNull(ofMethod.getBean())));
    }

    /** Spring Kafka has made its adapter, which calls the method; what the container calls is put in between. */
    @Override
    @SuppressWarnings("unchecked")
    protected void initializeContainer(
            ConcurrentMessageListenerContainer<byte[], byte[]> container, KafkaListenerEndpoint endpoint) {
        super.initializeContainer(container, endpoint);
        ListenerMethod method = methodOf(endpoint);
        EventConverter converter = new EventConverter(method.payload(), payloads);
        Object adapter =
                Objects.requireNonNull(container.getContainerProperties().getMessageListener());
        if (method.batch()) {
            ((BatchMessagingMessageListenerAdapter<byte[], byte[]>) adapter)
                    .setBatchMessageConverter(converter.ofBatches());
        } else {
            ((RecordMessagingMessageListenerAdapter<byte[], byte[]>) adapter).setMessageConverter(converter);
        }
        String group = String.valueOf(container.getGroupId());
        DeadLetterTopics topics = DeadLetterTopics.of(settings, group, properties);
        deadLetters.add(topics);
        container.setupMessageListener(new EventsListener(
                group, new MethodCalls(method, adapter, scope), settings.retry(), topics, container::isRunning));
    }

    @Override
    public void destroy() {
        deadLetters.forEach(DeadLetterTopics::close);
    }
}
