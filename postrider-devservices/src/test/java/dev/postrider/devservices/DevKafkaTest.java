package dev.postrider.devservices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DevKafkaTest {

    @Test
    void recordsSurviveAStopAndAKillOnTheSamePort(@TempDir Path directory) throws Exception {
        DevKafka kafka = DevKafka.builder()
                .dataDirectory(directory)
                .setting("num.partitions", "5")
                .start();
        try (kafka) {
            String address = kafka.bootstrapServers();
            assertThat(kafka.brokers()).isEqualTo(1);
            Config config = brokerConfig(kafka);
            assertThat(config.get("num.partitions").value()).isEqualTo("5");
            assertThat(config.get("auto.create.topics.enable").value()).isEqualTo("true");
            assertThat(config.get("offsets.topic.replication.factor").value()).isEqualTo("1");

            Topic topic = Topic.create(kafka, "kept", Map.of());
            topic.send("before the stop");
            kafka.stop();
            assertThat(kafka.isRunning(1)).isFalse();
            kafka.restart();
            topic.send("before the kill");
            kafka.kill(1);
            assertThat(kafka.isRunning(1)).isFalse();
            assertThatIllegalStateException().isThrownBy(() -> kafka.pid(1));
            kafka.start(1);

            assertThat(topic.values()).containsExactly("before the stop", "before the kill");
            assertThat(kafka.bootstrapServers()).isEqualTo(address);
            assertThatExceptionOfType(DevServicesException.class)
                    .isThrownBy(
                            () -> DevKafka.builder().dataDirectory(directory).start())
                    .withMessageContaining("in use");
        }
        assertThat(directory.resolve("broker-1/data")).isDirectory();
        assertThat(Files.readString(directory.resolve("broker-1/broker.log")))
                .doesNotContain(" INFO ")
                .doesNotContain("SLF4J");
        assertThatExceptionOfType(DevServicesException.class)
                .isThrownBy(() ->
                        DevKafka.builder().dataDirectory(directory).brokers(3).start())
                .withMessageContaining("use brokers(1)");
    }

    private static Config brokerConfig(DevKafka kafka) throws Exception {
        ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, "1");
        try (Admin admin = Topic.admin(kafka)) {
            return admin.describeConfigs(List.of(broker)).all().get().get(broker);
        }
    }

    @Test
    void sharedClusterIsOneAndOutlivesClose() throws Exception {
        DevKafka kafka = DevKafka.shared();
        kafka.close();
        assertThat(DevKafka.shared()).isSameAs(kafka);
        assertThat(kafka.isRunning(1)).isTrue();
        Topic.create(kafka, "after-close", Map.of()).send("still here");
    }

    @Test
    void failedStartTellsWhatTheBrokerSaid() {
        assertThatExceptionOfType(DevServicesException.class)
                .isThrownBy(() ->
                        DevKafka.builder().setting("num.partitions", "many").start())
                .withMessageContaining("Kafka broker 1 did not start")
                .withMessageContaining("Invalid value many for configuration num.partitions");
    }

    @Test
    void chosenPortIsNamedWhenItIsTakenAndAPreferredOneReplaced() throws Exception {
        try (ServerSocket taken = new ServerSocket(FreePorts.any(), 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();
            assertThatExceptionOfType(DevServicesException.class)
                    .isThrownBy(() -> DevKafka.builder().port(port).start())
                    .withMessage("Kafka was not started: port " + port
                            + " is in use by another process; end that one, or choose another port");

            try (DevKafka kafka = DevKafka.builder().preferredPort(port).start()) {
                assertThat(kafka.port(1)).isNotEqualTo(port);
                assertThat(kafka.bootstrapServers()).isEqualTo("127.0.0.1:" + kafka.port(1));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 2, 4})
    void otherNumbersOfBrokersThanOneAndThreeAreRefused(int brokers) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DevKafka.builder().brokers(brokers))
                .withMessageContaining("brokers(" + brokers + ")")
                .withMessageContaining("use 1, or 3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"listeners", "log.dirs", "node.id"})
    void settingsThatWouldMoveTheBrokersAreRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DevKafka.builder().setting(name, "1"))
                .withMessageContaining(name);
    }
}
