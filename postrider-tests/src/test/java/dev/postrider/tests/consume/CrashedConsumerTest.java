package dev.postrider.tests.consume;

import static dev.postrider.tests.consume.ConsumedTopic.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.consume.ConsumerSettings;
import dev.postrider.tests.support.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A consumer's process that ends between the handler and the commit. */
class CrashedConsumerTest {
    @TempDir
    private Path directory;

    /** Also the very first time, when nothing has been committed and the group begins with what comes from now on. */
    @Test
    void whatWasReadAndNotCommittedIsHandledByTheNext() throws Exception {
        List<String> handled = new CopyOnWriteArrayList<>();
        Path output = directory.resolve("mortal.out");
        try (ConsumedTopic topic = new ConsumedTopic(1)) {
            Process mortal = ChildJvm.of(
                            MortalConsumer.class,
                            List.of("-Xmx128m"),
                            DevKafka.shared().bootstrapServers(),
                            topic.group(),
                            topic.name())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            try {
                await().atMost(PATIENCE).until(() -> Files.readString(output).contains("assigned"));
                topic.sendInOneRequest("a", "1", "2", "3", "\"halt\"", "4", "5");
                await().atMost(PATIENCE).until(() -> !mortal.isAlive());
            } finally {
                mortal.destroyForcibly();
            }
            assertThat(Files.readString(output)).contains("handled 1", "handled 2", "handled 3");

            topic.start(topic.consumer()
                    .settings(ConsumerSettings.defaults())
                    .handler(event -> handled.add(event.payload().text())));
            await().atMost(PATIENCE).until(topic::isAllCommitted);

            assertThat(handled).containsExactly("1", "2", "3", "\"halt\"", "4", "5");
        }
    }
}
