package dev.postrider.tests.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.Operator;
import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.redrive.Redrive;
import dev.postrider.tests.support.DeadLetters;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An operator whose Kafka user lacks a right that a redrive needs. */
class ForbiddenRedriveTest {
    @TempDir
    private Path directory;

    @Test
    void missingRightIsNamedBeforeAnythingIsSent() throws Exception {
        try (DevKafka kafka = DevKafka.builder()
                        .setting("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                        .setting("allow.everyone.if.no.acl.found", "true")
                        .start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            admin.createTopics(List.of(
                            new NewTopic("order-events", 1, (short) 1), new NewTopic("order-events.dlq", 1, (short) 1)))
                    .all()
                    .get();
            try (DeadLetters dead = new DeadLetters(kafka.bootstrapServers(), "order-events.dlq")) {
                dead.add("order-events", "a", "1", "java.lang.IllegalStateException", "shop")
                        .await();
            }
            Operator operator = new Operator(directory).variable("POSTRIDER_KAFKA", kafka.bootstrapServers());

            whileForbidden(admin, ResourceType.TOPIC, "order-events", AclOperation.WRITE, () -> {
                assertThat(operator.run("topics", "redrive", "order-events.dlq", "--yes"))
                        .isEqualTo(1);
                assertThat(operator.err())
                        .contains("may not write to topic order-events", "--operation Write", "Nothing was sent.");
            });
            whileForbidden(admin, ResourceType.TOPIC, "order-events.dlq", AclOperation.READ, () -> {
                assertThat(operator.run("topics", "redrive", "order-events.dlq", "--yes"))
                        .isEqualTo(1);
                assertThat(operator.err()).contains("--operation Read --topic order-events.dlq");
            });
            whileForbidden(admin, ResourceType.GROUP, Redrive.groupOf("order-events.dlq"), AclOperation.READ, () -> {
                assertThat(operator.run("topics", "redrive", "order-events.dlq", "--yes"))
                        .isEqualTo(1);
                assertThat(operator.err()).contains("--operation Read --group postrider-redrive-order-events.dlq");
            });
            assertThat(operator.run("topics", "redrive", "order-events.dlq", "--yes", "--json"))
                    .as(operator.err())
                    .isZero();
            assertThat(operator.json().path("sent").asInt()).as("at last").isEqualTo(1);
        }
    }

    /** Nobody may do this meanwhile; everything else is allowed. */
    private static void whileForbidden(
            Admin admin, ResourceType type, String name, AclOperation operation, Runnable work) throws Exception {
        List<AclBinding> rules = List.of(
                rule(type, name, operation, AclPermissionType.DENY),
                rule(type, name, AclOperation.ALL, AclPermissionType.ALLOW));
        admin.createAcls(rules).all().get();
        try {
            work.run();
        } finally {
            admin.deleteAcls(rules.stream().map(AclBinding::toFilter).toList())
                    .all()
                    .get();
        }
    }

    private static AclBinding rule(
            ResourceType type, String name, AclOperation operation, AclPermissionType permission) {
        return new AclBinding(
                new ResourcePattern(type, name, PatternType.LITERAL),
                new AccessControlEntry("User:ANONYMOUS", "*", operation, permission));
    }
}
