package dev.postrider.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.Operator;
import dev.postrider.devservices.DevKafka;
import dev.postrider.tests.support.LossyKafkaWire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes of topics that a broker makes and whose answers are lost. Each is asked for twice: to be checked, and to be made. */
class TopicsLostAnswersTest {
    private static LossyKafkaWire wire;
    private static DevKafka kafka;

    @TempDir
    private Path directory;

    private Operator operator;

    @BeforeAll
    static void start() throws IOException {
        wire = new LossyKafkaWire();
        int behind = freePort();
        kafka = DevKafka.builder().behindProxy(behind, wire.port()).start();
        wire.to(behind);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @AfterAll
    static void close() throws IOException {
        kafka.close();
        wire.close();
    }

    @BeforeEach
    void begin() {
        operator = new Operator(directory)
                .variable("POSTRIDER_KAFKA", "127.0.0.1:" + wire.port())
                .variable("POSTRIDER_TOPICS_DEAD_LETTERS", "false")
                .variable("POSTRIDER_TOPICS_REPLICATION_FACTOR", "1")
                .variable("POSTRIDER_TOPICS_MIN_INSYNC_REPLICAS", "1");
    }

    @Test
    void topicWhoseCreationIsNotAnsweredIsAskedForAgainAndFoundAsWanted() {
        operator.variable("POSTRIDER_TOPICS_NAMES", "order-events");
        wire.loseAnswer(ApiKeys.CREATE_TOPICS, 2, false);

        int status = operator.run("topics", "apply");

        assertThat(status).as(operator.err()).isZero();
        assertThat(wire.lost()).isOne();
        assertThat(operator.run("topics", "apply")).isZero();
        assertThat(operator.out()).contains("Everything is as wanted");
    }

    @Test
    void partitionsThatWereAddedWhenTheConnectionWasLostAreNotMissed() {
        operator.variable("POSTRIDER_TOPICS_NAMES", "stock-events").variable("POSTRIDER_TOPICS_PARTITIONS", "1");
        assertThat(operator.run("topics", "apply")).as(operator.err()).isZero();
        operator.variable("POSTRIDER_TOPICS_PARTITIONS", "3");
        wire.loseAnswer(ApiKeys.CREATE_PARTITIONS, 2, true);

        int status = operator.run("topics", "apply", "--add-partitions");

        assertThat(status).as(operator.err()).isZero();
        assertThat(wire.lost()).isOne();
        assertThat(operator.run("topics", "apply")).isZero();
        assertThat(operator.out()).contains("Everything is as wanted");
    }
}
