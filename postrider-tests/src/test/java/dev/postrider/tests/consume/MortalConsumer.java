package dev.postrider.tests.consume;

import dev.postrider.kafka.consume.ConsumerListener;
import dev.postrider.kafka.consume.ConsumerSettings;
import dev.postrider.kafka.consume.KafkaEventConsumer;
import java.time.Duration;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/** A consumer as a process, which begins with what comes from now on. An event {@code "halt"} ends the process at once. */
final class MortalConsumer {
    private MortalConsumer() {}

    /**
     * @param args bootstrap servers, group, topic
     */
    public static void main(String[] args) {
        KafkaEventConsumer.builder(args[0], args[1])
                .topics(args[2])
                .settings(ConsumerSettings.builder()
                        .sessionTimeout(Duration.ofSeconds(1))
                        .heartbeatInterval(Duration.ofMillis(300))
                        .build())
                .listener(new ConsumerListener() {
                    @Override
                    public void assigned(Set<TopicPartition> partitions) {
                        System.out.println("assigned");
                    }
                })
                .handler(event -> {
                    if (event.payload().text().equals("\"halt\"")) {
                        Runtime.getRuntime().halt(3);
                    }
                    System.out.println("handled " + event.payload().text());
                })
                .build()
                .start();
    }
}
