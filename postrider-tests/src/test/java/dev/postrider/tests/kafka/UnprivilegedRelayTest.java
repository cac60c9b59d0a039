package dev.postrider.tests.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.DestinationUnavailableException;
import dev.postrider.publish.TransactionalPublisher;
import dev.postrider.tests.support.HangingTransactions;
import dev.postrider.tests.support.SilentProxy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.Resource;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;

/** A relay that may do what it needs every day, and nothing else. */
class UnprivilegedRelayTest {
    private static final ResourcePattern CLUSTER =
            new ResourcePattern(ResourceType.CLUSTER, Resource.CLUSTER_NAME, PatternType.LITERAL);

    /** Brokers know their clients by their address here: those of the relay, and those of everybody else. */
    private static final String RELAYS = "127.0.0.2";

    @Test
    void withoutThePrivilegeToEndItAHangingTransactionIsLeftToPeople() throws Exception {
        String outboxId = UUID.randomUUID().toString();
        TopicPartition positions = new TopicPartition("postrider-positions-" + outboxId, 0);
        int port = freePort();
        try (SilentProxy proxy = new SilentProxy(port, InetAddress.getByName(RELAYS));
                DevKafka kafka = DevKafka.builder()
                        .setting("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                        .setting("allow.everyone.if.no.acl.found", "true")
                        .behindProxy(port, proxy.port())
                        .start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
                HangingTransactions hanging = new HangingTransactions(kafka.bootstrapServers())) {
            List<AclBinding> forbidden = List.of(rule(AclOperation.ALTER), rule(AclOperation.CLUSTER_ACTION));
            admin.createAcls(List.of(
                            new AclBinding(
                                    CLUSTER,
                                    new AccessControlEntry(
                                            "User:ANONYMOUS", "*", AclOperation.ALL, AclPermissionType.ALLOW)),
                            forbidden.get(0),
                            forbidden.get(1)))
                    .all()
                    .get();
            TransactionalPublisher line = KafkaPublisher.builder("127.0.0.1:" + proxy.port())
                    .property("max.block.ms", "2000")
                    .build()
                    .pipeline(outboxId, 0, 1, Duration.ofSeconds(20));
            try {
                line.takeOver();
                line.commit("1");
                hanging.leave(
                        "postrider-" + outboxId + "-0",
                        positions,
                        "position",
                        "2",
                        new RecordHeader("witnesses", "".getBytes(UTF_8)));
                long end = hanging.end(positions);

                assertThatThrownBy(line::takeOver)
                        .isInstanceOf(DestinationUnavailableException.class)
                        .hasMessageContaining("for PT2S offset " + (end - 1) + " was not passed, of " + end)
                        .hasMessageContaining("'postrider doctor' names it");
                assertThat(hanging.end(positions)).isEqualTo(end);
                assertThat(hanging.hides(positions)).isTrue();

                admin.deleteAcls(List.of(
                                forbidden.get(0).toFilter(), forbidden.get(1).toFilter()))
                        .all()
                        .get();
                await().ignoreException(DestinationUnavailableException.class).until(() -> "1".equals(line.takeOver()));
                assertThat(hanging.hides(positions)).isFalse();
            } finally {
                line.close();
            }
        }
    }

    private static AclBinding rule(AclOperation operation) {
        return new AclBinding(
                CLUSTER, new AccessControlEntry("User:ANONYMOUS", RELAYS, operation, AclPermissionType.DENY));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
