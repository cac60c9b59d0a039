package dev.postrider.spring.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.internal.spring.endpoint.DeadLettersEndpoint;
import dev.postrider.internal.spring.endpoint.OutboxEndpoint;
import dev.postrider.internal.spring.endpoint.RelayEndpoint;
import dev.postrider.internal.spring.event.ContextHeaders;
import dev.postrider.internal.spring.health.OutboxHealth;
import dev.postrider.internal.spring.tracing.TracedDestinations;
import dev.postrider.metrics.RelayMetrics;
import dev.postrider.spring.TestDatabase;
import dev.postrider.spring.autoconfigure.DestinationAutoConfiguration;
import dev.postrider.spring.autoconfigure.EndpointsAutoConfiguration;
import dev.postrider.spring.autoconfigure.HealthAutoConfiguration;
import dev.postrider.spring.autoconfigure.PostriderAutoConfiguration;
import dev.postrider.spring.autoconfigure.RelayAutoConfiguration;
import dev.postrider.spring.autoconfigure.TracingAutoConfiguration;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;

/** With and without what health, endpoints, tracing and meters need. */
class OperationsConditionsTest {
    private static final WebApplicationContextRunner APPLICATION = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    TransactionAutoConfiguration.class,
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    PostriderAutoConfiguration.class,
                    DestinationAutoConfiguration.class,
                    RelayAutoConfiguration.class,
                    TracingAutoConfiguration.class,
                    HealthAutoConfiguration.class,
                    EndpointsAutoConfiguration.class))
            .withPropertyValues(TestDatabase.properties(TestDatabase.create()))
            .withPropertyValues(
                    "spring.datasource.hikari.maximum-pool-size=2",
                    "postrider.schema.initialize=always",
                    "postrider.relay.destination=log");

    private static final WebApplicationContextRunner EXPOSED = APPLICATION
            .withConfiguration(
                    AutoConfigurations.of(EndpointAutoConfiguration.class, WebEndpointAutoConfiguration.class))
            .withPropertyValues("management.endpoints.web.exposure.include=*", "postrider.relay.enabled=false");

    private static final Pattern METER = Pattern.compile("^\\| `(outbox\\.[a-z.]+)` \\|", Pattern.MULTILINE);

    @Test
    void withoutActuatorMicrometerAndTracingEverythingElseWorks() {
        APPLICATION
                .withClassLoader(new FilteredClassLoader(
                        "org.springframework.boot.actuate", "org.springframework.boot.health", "io.micrometer"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean("postriderHealthIndicator")
                        .doesNotHaveBean("postriderEndpoint")
                        .doesNotHaveBean("postriderWriterTrace"));
    }

    @Test
    void endpointsAreThereIfTheyAreExposed() {
        APPLICATION
                .withPropertyValues("postrider.relay.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(OutboxHealth.class)
                        .doesNotHaveBean(OutboxEndpoint.class)
                        .doesNotHaveBean(RelayEndpoint.class)
                        .doesNotHaveBean(DeadLettersEndpoint.class));
        EXPOSED.run(context -> assertThat(context)
                .hasSingleBean(OutboxEndpoint.class)
                .hasSingleBean(RelayEndpoint.class)
                .hasSingleBean(DeadLettersEndpoint.class));
    }

    @Test
    void endpointsOnlyReadUnlessTheyAreUnlocked() {
        EXPOSED.run(context -> assertThat(writable(context)).isEmpty());
        EXPOSED.withPropertyValues("management.endpoint.postriderrelay.access=UNRESTRICTED")
                .run(context -> assertThat(writable(context)).containsExactly("postriderrelay"));
    }

    private static Set<String> writable(ApplicationContext context) {
        return context.getBean(WebEndpointsSupplier.class).getEndpoints().stream()
                .filter(endpoint -> endpoint.getOperations().stream()
                        .anyMatch(operation -> operation.getType() != OperationType.READ))
                .map(endpoint -> endpoint.getEndpointId().toString())
                .filter(id -> id.startsWith("postrider"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Without a relay: the outbox is still looked at. Without Spring Security nobody has logged in. */
    @Test
    void applicationThatOnlyWritesHasHealthAndEndpoints() {
        EXPOSED.withClassLoader(new FilteredClassLoader("org.springframework.security"))
                .run(context -> {
                    // On a slow machine the first answer may come after health has given up waiting for it.
                    await().atMost(Duration.ofMinutes(1))
                            .untilAsserted(() -> assertThat(context.getBean(OutboxHealth.class)
                                            .health()
                                            .getDetails()
                                            .get("outbox")
                                            .toString())
                                    .doesNotContain("relay")
                                    .contains("pending=0"));
                    assertThat(context.getBean(OutboxEndpoint.class)
                                    .status(null)
                                    .getBody()
                                    .toString())
                            .contains("phase=none in this application");
                    assertThat(context.getBean(RelayEndpoint.class)
                                    .act(SecurityContext.NONE, "resume", null, null)
                                    .getStatus())
                            .isEqualTo(403);
                });
    }

    @Test
    void healthCanBeSwitchedOffOrReplaced() {
        EXPOSED.withPropertyValues("management.health.postrider.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(OutboxHealth.class));
        EXPOSED.withBean(
                        "postriderHealthIndicator",
                        HealthIndicator.class,
                        () -> () -> Health.up().build())
                .run(context -> assertThat(context).doesNotHaveBean(OutboxHealth.class));
    }

    @Test
    void withoutItsDatabaseHealthIsDown() {
        APPLICATION
                .withPropertyValues(
                        "spring.datasource.url=jdbc:postgresql://localhost:1/nowhere",
                        "spring.datasource.hikari.connection-timeout=250",
                        "postrider.schema.initialize=never")
                .run(context -> {
                    Health health = context.getBean(OutboxHealth.class).health();
                    assertThat(health.getStatus()).isEqualTo(Status.DOWN);
                    assertThat(health.getDetails().get("outbox").toString()).contains("relay=", "database=");
                });
    }

    @Test
    void tracingNeedsATracerAndAPropagator() {
        WebApplicationContextRunner writer = APPLICATION.withPropertyValues("postrider.relay.enabled=false");
        writer.run(context ->
                assertThat(context).doesNotHaveBean(ContextHeaders.class).doesNotHaveBean(TracedDestinations.class));
        writer.withBean(Tracer.class, () -> Tracer.NOOP)
                .run(context -> assertThat(context).doesNotHaveBean(ContextHeaders.class));
        writer.withBean(Tracer.class, () -> Tracer.NOOP)
                .withBean(Propagator.class, () -> Propagator.NOOP)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(ContextHeaders.class)
                        .hasSingleBean(TracedDestinations.class));
    }

    /** The registry is one that outlives the application. */
    @Test
    void metersOfThePageAreThereOnceAndGoWithTheApplication() throws IOException {
        List<String> page = METER.matcher(Files.readString(Path.of("..", "docs", "metrics.md")))
                .results()
                .map(found -> found.group(1))
                // There is none before a destination takes nothing.
                .filter(name -> !name.equals("outbox.destination.blocked"))
                .sorted()
                .toList();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        for (int start = 0; start < 2; start++) {
            // A bean that the context does not close.
            APPLICATION
                    .withInitializer(context -> context.getBeanFactory().registerSingleton("registry", registry))
                    .run(context -> {
                        assertThat(context).hasSingleBean(RelayMetrics.class);
                        assertThat(registry.getMeters().stream()
                                        .filter(meter ->
                                                "outbox".equals(meter.getId().getTag("outbox")))
                                        .map(meter -> meter.getId().getName())
                                        .sorted())
                                .containsExactlyElementsOf(page);
                    });
            assertThat(registry.getMeters()).isEmpty();
        }
    }
}
