package dev.postrider.kafka.topics;

import dev.postrider.PostriderException;
import dev.postrider.kafka.topics.TopicStep.AddPartitions;
import dev.postrider.kafka.topics.TopicStep.AsWanted;
import dev.postrider.kafka.topics.TopicStep.ChangeSetting;
import dev.postrider.kafka.topics.TopicStep.Create;
import dev.postrider.kafka.topics.TopicStep.LeftUnchanged;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigsOptions;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.CreatePartitionsOptions;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * Compares wanted topics with existing ones and applies the differences: creates missing topics, changes settings, adds
 * partitions if asked to. Never deletes a topic, removes partitions or moves replicas. Idempotent. Used by one thread.
 */
public final class TopicProvisioning implements AutoCloseable {
    private static final Duration CLOSING = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(50);

    /** So long after the first attempt a change is still tried again, if the brokers gave no answer. */
    private static final Duration TRY_AGAIN = Duration.ofSeconds(30);

    private final Admin admin;

    private TopicProvisioning(Admin admin) {
        this.admin = admin;
    }

    /**
     * @param adminSettings of Kafka's administration client: where the brokers are and how to connect to them
     * @throws PostriderException if the client does not accept them
     */
    public static TopicProvisioning connect(Map<String, Object> adminSettings) {
        try {
            return new TopicProvisioning(Admin.create(adminSettings));
        } catch (KafkaException e) {
            throw new PostriderException("Kafka's client does not accept its settings: " + rootMessage(e), e);
        }
    }

    /**
     * The necessary steps; changes nothing.
     *
     * @return at least one step for each topic, in the order in which they are wanted
     * @throws PostriderException if the brokers do not answer
     */
    public List<TopicStep> plan(List<WantedTopic> wanted) {
        List<String> names = wanted.stream().map(WantedTopic::name).toList();
        names.stream()
                .filter(name -> names.indexOf(name) != names.lastIndexOf(name))
                .findFirst()
                .ifPresent(twice -> {
                    throw new PostriderException("Topic " + twice + " is wanted twice; once is enough.");
                });
        Map<String, KafkaFuture<TopicDescription>> descriptions =
                admin.describeTopics(names).topicNameValues();
        List<TopicStep> steps = new ArrayList<>();
        for (WantedTopic topic : wanted) {
            try {
                TopicDescription found = answer(descriptions.get(topic.name()));
                steps.addAll(differences(topic, found));
            } catch (UnknownTopicOrPartitionException e) {
                steps.add(new Create(topic));
            } catch (KafkaException e) {
                throw explain("Topic " + topic.name() + " cannot be looked at", topic.name(), e);
            }
        }
        return steps;
    }

    private List<TopicStep> differences(WantedTopic wanted, TopicDescription found) {
        List<TopicStep> steps = new ArrayList<>();
        String name = wanted.name();
        int partitions = found.partitions().size();
        if (partitions < wanted.partitions()) {
            steps.add(new AddPartitions(name, partitions, wanted.partitions()));
        } else if (partitions > wanted.partitions()) {
            steps.add(new LeftUnchanged(
                    name,
                    "partitions",
                    partitions,
                    wanted.partitions(),
                    "Kafka cannot take partitions away; set the number that is there"));
        }
        int replicas = found.partitions().stream()
                .mapToInt(partition -> partition.replicas().size())
                .min()
                .orElse(0);
        if (replicas != wanted.replicationFactor()) {
            steps.add(new LeftUnchanged(
                    name,
                    "replicas",
                    replicas,
                    wanted.replicationFactor(),
                    "moving replicas is work for the brokers' operators: kafka-reassign-partitions.sh"));
        }
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, name);
        Config settings =
                answer(admin.describeConfigs(List.of(resource)).values().get(resource));
        new TreeMap<>(wanted.settings()).forEach((setting, value) -> {
            String is = valueOf(settings, setting);
            if (!value.equals(is)) {
                steps.add(new ChangeSetting(name, setting, is, value));
            }
        });
        return steps.isEmpty() ? List.of(new AsWanted(name)) : steps;
    }

    private Config settingsOf(String topic) {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        return answer(admin.describeConfigs(List.of(resource)).values().get(resource));
    }

    private static @Nullable String valueOf(Config settings, String setting) {
        ConfigEntry entry = settings.get(setting);
        return entry == null ? null : entry.value();
    }

    /**
     * Asks the brokers whether they would do all this; changes nothing.
     *
     * @throws PostriderException if they would not; names the topic and the reason
     */
    public void check(List<TopicStep> plan) {
        plan.forEach(step -> perform(step, true));
    }

    /**
     * Executes the plan, after a {@link #check} of all of it.
     *
     * @param addPartitions whether to execute {@link AddPartitions} too
     * @return what was not done: partitions that were not requested, and differences that are never changed
     * @throws PostriderException if the brokers refuse something; what was done before it stays
     */
    public List<TopicStep> apply(List<TopicStep> plan, boolean addPartitions) {
        List<TopicStep> undone = new ArrayList<>();
        List<TopicStep> doable = new ArrayList<>();
        for (TopicStep step : plan) {
            boolean leave = step instanceof LeftUnchanged || (step instanceof AddPartitions && !addPartitions);
            (leave ? undone : doable).add(step);
        }
        check(doable);
        doable.forEach(step -> perform(step, false));
        doable.forEach(this::awaitSeen);
        return undone;
    }

    /**
     * Brokers hear of a change one after the other; who asks right away may be told of the time before. Waits until it is
     * seen once, and not for long: it is done in any case.
     */
    private void awaitSeen(TopicStep step) {
        long start = System.nanoTime();
        while (!isSeen(step) && System.nanoTime() - start < PATIENCE.toNanos()) {
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    private boolean isSeen(TopicStep step) {
        try {
            if (step instanceof Create create) {
                return partitionsOf(create.topic()) == create.wanted().partitions();
            }
            if (step instanceof AddPartitions more) {
                return partitionsOf(more.topic()) >= more.to();
            }
            return !(step instanceof ChangeSetting change)
                    || change.to().equals(valueOf(settingsOf(change.topic()), change.setting()));
        } catch (KafkaException e) {
            return false;
        }
    }

    private int partitionsOf(String topic) {
        return answer(admin.describeTopics(List.of(topic)).topicNameValues().get(topic))
                .partitions()
                .size();
    }

    /**
     * Kafka's client waits for one answer until its time for the whole call is over, and does not ask again after that. Each
     * of these steps can be asked for twice.
     */
    private void perform(TopicStep step, boolean onlyAsk) {
        long start = System.nanoTime();
        while (true) {
            try {
                ask(step, onlyAsk);
                return;
            } catch (TimeoutException | DisconnectException e) {
                if (System.nanoTime() - start >= TRY_AGAIN.toNanos()) {
                    throw explain(failure(step), step.topic(), e);
                }
                // Some failures come at once.
                LockSupport.parkNanos(PAUSE.toNanos());
            } catch (KafkaException e) {
                throw explain(failure(step), step.topic(), e);
            }
        }
    }

    private void ask(TopicStep step, boolean onlyAsk) {
        if (step instanceof Create create) {
            create(create.wanted(), onlyAsk);
        } else if (step instanceof AddPartitions more) {
            addPartitions(more, onlyAsk);
        } else if (step instanceof ChangeSetting change) {
            ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, change.topic());
            Collection<AlterConfigOp> set = List.of(
                    new AlterConfigOp(new ConfigEntry(change.setting(), change.to()), AlterConfigOp.OpType.SET));
            answer(admin.incrementalAlterConfigs(Map.of(resource, set), new AlterConfigsOptions().validateOnly(onlyAsk))
                    .all());
        }
    }

    private void create(WantedTopic wanted, boolean onlyAsk) {
        NewTopic topic = new NewTopic(wanted.name(), wanted.partitions(), (short) wanted.replicationFactor())
                .configs(wanted.settings());
        try {
            answer(admin.createTopics(List.of(topic), new CreateTopicsOptions().validateOnly(onlyAsk))
                    .all());
        } catch (TopicExistsException e) {
            // Perhaps made by a request whose answer was lost, before it was asked for again.
            if (!isAsWanted(wanted)) {
                throw new PostriderException(
                        "Topic " + wanted.name()
                                + " was created by somebody else just now. Do it again: what is different will"
                                + " be shown.",
                        e);
            }
        }
    }

    /** Brokers hear of a new topic one after the other, so it may take a moment. */
    private boolean isAsWanted(WantedTopic wanted) {
        awaitSeen(new Create(wanted));
        try {
            return plan(List.of(wanted)).stream().allMatch(AsWanted.class::isInstance);
        } catch (PostriderException e) {
            return false;
        }
    }

    private void addPartitions(AddPartitions more, boolean onlyAsk) {
        try {
            answer(admin.createPartitions(
                            Map.of(more.topic(), NewPartitions.increaseTo(more.to())),
                            new CreatePartitionsOptions().validateOnly(onlyAsk))
                    .all());
        } catch (InvalidPartitionsException e) {
            // Refused because there are as many already, if a lost answer was the reason to ask again.
            awaitSeen(more);
            if (partitionsOf(more.topic()) != more.to()) {
                throw e;
            }
        }
    }

    private static String failure(TopicStep step) {
        if (step instanceof Create create) {
            return "Topic " + create.topic() + " cannot be created";
        }
        if (step instanceof AddPartitions more) {
            return "Topic " + more.topic() + " cannot get " + more.to() + " partitions";
        }
        return step instanceof ChangeSetting change
                ? "Topic " + change.topic() + " cannot get " + change.setting() + "=" + change.to()
                : "Topic " + step.topic();
    }

    static PostriderException explain(String what, String topic, KafkaException error) {
        String advice = "";
        if (error instanceof AuthorizationException) {
            advice = " This user may not do that: kafka-acls.sh --add --allow-principal User:NAME --operation Create"
                    + " --operation Describe --operation DescribeConfigs --operation Alter --operation AlterConfigs --topic "
                    + topic;
        } else if (error instanceof InvalidReplicationFactorException) {
            advice = " There are fewer brokers than replicas wanted: start more, or want fewer";
        } else if (error instanceof TimeoutException) {
            advice = " The brokers give no answer. Do it again when they do: what is done already stays";
        }
        return new PostriderException(
                what + ": " + sentence(rootMessage(error)) + advice + (advice.isEmpty() ? "" : "."), error);
    }

    private static String sentence(String text) {
        return text.endsWith(".") ? text : text + ".";
    }

    private static String rootMessage(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getMessage() != null ? root.getMessage() : root.getClass().getSimpleName();
    }

    /** Null is none of Kafka's answers to what was asked for, only a possibility of its types. */
    private static <T> T answer(@Nullable KafkaFuture<T> future) {
        try {
            return Objects.requireNonNull(future).get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof KafkaException known ? known : new KafkaException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PostriderException("Interrupted while the brokers were asked.", e);
        }
    }

    @Override
    public void close() {
        admin.close(CLOSING);
    }
}
