package dev.postrider.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.Outbox;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxEvent;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.alert.AlertRules;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.internal.spring.failure.PostriderFailureAnalyzer;
import dev.postrider.internal.spring.failure.PropertyFailureAnalyzer;
import dev.postrider.internal.spring.relay.HikariConnections;
import dev.postrider.internal.spring.relay.NotifierLifecycle;
import dev.postrider.internal.spring.relay.RelayConnections;
import dev.postrider.internal.spring.relay.RelayLifecycle;
import dev.postrider.internal.spring.relay.SharedConnections;
import dev.postrider.metrics.RelayMetrics;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.TopicRouting;
import dev.postrider.publish.UnroutableEventException;
import dev.postrider.settings.IntegritySettings;
import dev.postrider.spring.RelayCustomizer;
import dev.postrider.spring.TestDatabase;
import dev.postrider.testing.RecordingPublisher;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.Driver;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.jdbc.metadata.HikariDataSourcePoolMetadata;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;
import org.springframework.transaction.support.TransactionTemplate;

/** Every condition: what is there, what is not, and what is said about it. */
@ExtendWith(OutputCaptureExtension.class)
class AutoConfigurationTest {
    private static final String URL = TestDatabase.create();

    private static final ApplicationContextRunner WITHOUT_DATABASE = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    TransactionAutoConfiguration.class,
                    PostriderAutoConfiguration.class,
                    DestinationAutoConfiguration.class,
                    RelayAutoConfiguration.class));

    private static final ApplicationContextRunner WITH_POOL = WITHOUT_DATABASE
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    JdbcTemplateAutoConfiguration.class))
            .withPropertyValues("spring.datasource.hikari.maximum-pool-size=3");

    private static final ApplicationContextRunner APPLICATION = WITH_POOL
            .withPropertyValues(TestDatabase.properties(URL))
            .withPropertyValues("postrider.schema.initialize=always");

    private static final ApplicationContextRunner TO_LOG =
            APPLICATION.withPropertyValues("postrider.relay.destination=log");

    private static final ApplicationContextRunner TO_KAFKA = APPLICATION
            .withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class))
            .withPropertyValues("postrider.relay.destination=kafka");

    private static FailureAnalysis analysis(Throwable failure) {
        FailureAnalysis analysis = new PostriderFailureAnalyzer().analyze(failure);
        assertThat(analysis).isNotNull();
        return analysis;
    }

    @Test
    void withoutADataSourceThereIsNothing() {
        WITHOUT_DATABASE.run(context ->
                assertThat(context).hasNotFailed().doesNotHaveBean(Outbox.class).doesNotHaveBean(RelayLifecycle.class));
    }

    @Test
    void disabledThereIsNothing() {
        APPLICATION
                .withPropertyValues("postrider.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(Outbox.class)
                        .doesNotHaveBean(RelayLifecycle.class));
    }

    @Test
    void relayRunsOnAPoolOfItsOwn() {
        TO_LOG.run(context -> {
            assertThat(context).hasSingleBean(Outbox.class).doesNotHaveBean(NotifierLifecycle.class);
            assertThat(context.getBean(RelayLifecycle.class).isRunning()).isTrue();
            assertThat(context.getBean(RelayConnections.class)).isInstanceOf(HikariConnections.class);
            assertThat(context.getBeanNamesForType(DataSource.class)).containsExactly("dataSource");
        });
    }

    @Test
    void settingsThatNobodySetsAreThoseOfCore() {
        TO_LOG.run(context -> assertThat(context.getBean(RelaySettings.class))
                .usingRecursiveComparison()
                .ignoringFields("name")
                .isEqualTo(RelaySettings.defaults()));
    }

    @Test
    void writersOnlyHaveNoRelay() {
        APPLICATION
                .withPropertyValues("postrider.relay.enabled=false")
                .run(context -> assertThat(context)
                        .hasSingleBean(Outbox.class)
                        .hasSingleBean(NotifierLifecycle.class)
                        .doesNotHaveBean(RelayLifecycle.class)
                        .doesNotHaveBean(RelayMetrics.class));
    }

    @Test
    void ownOutboxWins() {
        Outbox own = Outbox.builder().build();
        TO_LOG.withBean("own", Outbox.class, () -> own)
                .run(context -> assertThat(context.getBean(Outbox.class)).isSameAs(own));
    }

    /** A name that applications like too. */
    @Test
    void beanOfTheApplicationMayBeCalledOutbox() {
        TO_LOG.withBean("outbox", String.class, () -> "of letters")
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(Outbox.class));
    }

    @Test
    void customizersHaveTheLastWordInTheirOrder() {
        List<String> called = new CopyOnWriteArrayList<>();
        TO_LOG.withPropertyValues("postrider.relay.name=by-property")
                .withBean("b", RelayCustomizer.class, () -> new Ordered(2, relay -> called.add("second")))
                .withBean(
                        "a",
                        RelayCustomizer.class,
                        () -> new Ordered(1, relay -> {
                            called.add("first");
                            relay.settings(
                                    RelaySettings.builder().name("customized").build());
                        }))
                .run(context -> {
                    assertThat(called).containsExactly("first", "second");
                    OutboxAdmin admin = context.getBean(OutboxAdmin.class);
                    await().atMost(Duration.ofSeconds(60))
                            .untilAsserted(() -> assertThat(admin.status().relays())
                                    .anySatisfy(relay ->
                                            assertThat(relay.toString()).contains("customized")));
                });
    }

    private record Ordered(int order, RelayCustomizer customizer)
            implements RelayCustomizer, org.springframework.core.Ordered {
        @Override
        public void customize(Relay.Builder relay) {
            customizer.customize(relay);
        }

        @Override
        public int getOrder() {
            return order;
        }
    }

    @Test
    void relayIsNamedAfterTheApplicationWhateverThatIsCalled() {
        TO_LOG.withPropertyValues("spring.application.name=a$1\\b")
                .run(context ->
                        assertThat(context.getBean(RelaySettings.class).name()).startsWith("a$1\\b-"));
    }

    /** As between tests: the events of the next one are not taken by the relay of a context that only waits. */
    @Test
    void relayPausesWithItsContext() {
        TO_LOG.run(context -> {
            RelayLifecycle relay = context.getBean(RelayLifecycle.class);
            context.getSourceApplicationContext().pause();
            assertThat(relay.isRunning()).isFalse();
            context.getSourceApplicationContext().restart();
            assertThat(relay.isRunning()).isTrue();
        });
    }

    /** It has been closed by the stop. */
    @Test
    void relayWhosePublisherCannotBeUsedAgainGoesOnWhileItsContextPauses() {
        APPLICATION.withBean(Publisher.class, RecordingPublisher::acceptingAll).run(context -> {
            context.getSourceApplicationContext().pause();
            assertThat(context.getBean(RelayLifecycle.class).isRunning()).isTrue();
        });
    }

    /** Two relays of one process would share a table, and captured events would be written twice. */
    @Test
    void outboxOfAParentContextIsThatOfItsChildren() {
        TO_LOG.run(parent -> TO_LOG.withParent(parent).run(child -> {
            assertThat(child).hasNotFailed();
            assertThat(child.getBeanNamesForType(RelayLifecycle.class)).isEmpty();
            assertThat(child.getBean(Outbox.class)).isSameAs(parent.getBean(Outbox.class));
            assertThatNoException().isThrownBy(() -> write(child, "order.placed"));
        }));
    }

    @Test
    void withoutJpaEverythingElseWorks() {
        TO_LOG.withClassLoader(new FilteredClassLoader(
                        "jakarta.persistence", "org.hibernate", "org.springframework.orm", "jakarta.transaction"))
                .run(context -> {
                    assertThat(context).hasNotFailed().hasSingleBean(RelayLifecycle.class);
                    assertThatNoException().isThrownBy(() -> write(context, "order.placed"));
                });
    }

    @Test
    void withJpaItsTransactionsAreJoined() {
        TO_LOG.withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class))
                .withUserConfiguration(NoEntities.class)
                .run(context -> {
                    assertThat(context).hasNotFailed().hasSingleBean(JpaTransactionManager.class);
                    assertThatNoException().isThrownBy(() -> write(context, "order.placed"));
                });
    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackages = "dev.postrider.spring.event.shop")
    static class NoEntities {}

    @Test
    void noDestinationIsToldWithWhatToSet() {
        APPLICATION.run(context -> {
            assertThat(context).hasFailed();
            assertThat(analysis(context.getStartupFailure()).getAction()).contains("postrider.relay.destination");
        });
    }

    @Test
    void kafkaWithoutItsModulesIsToldWithWhatToAdd() {
        for (String missing : new String[] {"dev.postrider.kafka", "org.springframework.boot.kafka"}) {
            APPLICATION
                    .withPropertyValues("postrider.relay.destination=kafka")
                    .withClassLoader(new FilteredClassLoader(missing))
                    .run(context -> {
                        assertThat(context).hasFailed();
                        assertThat(analysis(context.getStartupFailure()).getAction())
                                .contains("dev.postrider:postrider-kafka");
                    });
        }
    }

    @Test
    void withoutKafkaEverythingElseWorks() {
        TO_LOG.withClassLoader(new FilteredClassLoader(
                        "org.apache.kafka", "dev.postrider.kafka", "org.springframework.boot.kafka"))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(RelayLifecycle.class));
    }

    @Test
    void withoutMicrometerThereAreNoMeters() {
        TO_LOG.withClassLoader(new FilteredClassLoader("io.micrometer"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("postriderRelayMetrics"));
        TO_LOG.run(context -> assertThat(context).doesNotHaveBean(RelayMetrics.class));
    }

    @Test
    void withARegistryThereAreMeters() {
        TO_LOG.withBean(MeterRegistry.class, SimpleMeterRegistry::new).run(context -> {
            assertThat(context).hasSingleBean(RelayMetrics.class);
            assertThat(context.getBean(MeterRegistry.class)
                            .find("outbox.processed.count")
                            .counter())
                    .isNotNull();
        });
    }

    @Test
    void metersOfTheApplicationsOwnWin() {
        MeterRegistry registry = new SimpleMeterRegistry();
        RelayMetrics own = new RelayMetrics(registry, "own");
        TO_LOG.withBean(MeterRegistry.class, () -> registry)
                .withBean("own", RelayMetrics.class, () -> own)
                .run(context -> assertThat(context.getBean(RelayMetrics.class)).isSameAs(own));
    }

    @Test
    void withoutHikariTheApplicationsConnectionsAreUsed() {
        withoutOwnPool(null).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(RelayConnections.class)).isInstanceOf(SharedConnections.class);
            assertThat(context.getBean(RelayLifecycle.class).isRunning()).isTrue();
        });
    }

    @Test
    void poolThatIsTooSmallForTheRelayIsRefused() {
        withoutOwnPool(5).run(context -> {
            assertThat(context).hasFailed();
            assertThat(analysis(context.getStartupFailure()).getDescription()).contains("has 5 connections");
        });
        withoutOwnPool(6).run(context -> assertThat(context).hasNotFailed());
    }

    /** The application's pool, of another kind, has nothing to spare, and need not have. */
    @Test
    void poolIsMadeFromConnectionDetailsWhereSpringBootHasMadeOneOfAnotherKind() {
        TO_LOG.withPropertyValues("spring.datasource.type=" + SimpleDriverDataSource.class.getName())
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(DataSource.class)).isInstanceOf(SimpleDriverDataSource.class);
                    try (RelayConnections.Open open =
                            context.getBean(RelayConnections.class).open("look", 1, 1)) {
                        assertThat(open.dataSource()).isInstanceOf(HikariDataSource.class);
                    }
                });
    }

    private static ApplicationContextRunner withoutOwnPool(Integer max) {
        ApplicationContextRunner runner = WITHOUT_DATABASE
                .withPropertyValues("postrider.schema.initialize=always", "postrider.relay.destination=log")
                .withBean(DataSource.class, AutoConfigurationTest::unpooled)
                .withClassLoader(new FilteredClassLoader("com.zaxxer.hikari"));
        return max == null
                ? runner
                : runner.withBean(DataSourcePoolMetadataProvider.class, () -> dataSource -> poolOf(max));
    }

    private static DataSource unpooled() {
        return new SimpleDriverDataSource(new Driver(), URL, TestDatabase.user(), TestDatabase.password());
    }

    private static DataSourcePoolMetadata poolOf(int max) {
        return new HikariDataSourcePoolMetadata(null) {
            @Override
            public Integer getMax() {
                return max;
            }
        };
    }

    @Test
    void publisherOfTheApplicationsOwnWins() {
        RecordingPublisher own = RecordingPublisher.acceptingAll();
        TO_LOG.withBean(Publisher.class, () -> own).run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean("postriderLog");
            assertThat(context).hasBean("postriderOwnPublisher");
        });
    }

    @Test
    void webhookWithoutAUrlIsRefused() {
        APPLICATION.withPropertyValues("postrider.relay.destination=webhook").run(context -> {
            assertThat(context).hasFailed();
            assertThat(analysis(context.getStartupFailure()).getAction()).contains("postrider.webhook.url");
        });
        APPLICATION
                .withPropertyValues(
                        "postrider.relay.destination=webhook",
                        "postrider.webhook.routes.shop.order.placed=http://localhost:1/events")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void unknownPropertyIsRefused() {
        TO_LOG.withPropertyValues("postrider.tabel=events").run(context -> {
            assertThat(context).hasFailed();
            assertThat(analysis(context.getStartupFailure()).getDescription())
                    .contains("did you mean postrider.table?");
        });
    }

    /** Needed or not, and before tables are made. */
    @Test
    void valueThatIsNotAllowedIsToldWithItsProperty() {
        String url = TestDatabase.create();
        APPLICATION
                .withPropertyValues(TestDatabase.properties(url))
                .withPropertyValues("postrider.relay.enabled=false", "postrider.relay.batch-size=0")
                .withUserConfiguration(WantsTheOutboxFirst.class)
                .run(context -> {
                    assertThat(context).hasFailed();
                    assertThat(analysis(context.getStartupFailure()).getDescription())
                            .contains("postrider.relay.batch-size is [0]");
                });
        assertThat(new JdbcTemplate(new SimpleDriverDataSource(
                                new Driver(), url, TestDatabase.user(), TestDatabase.password()))
                        .queryForObject(
                                "select count(*) from information_schema.tables where table_name = 'outbox'",
                                Long.class))
                .isZero();
    }

    /** By Spring Boot's own analyses it would be. */
    @Test
    void valueThatMayBeASecretIsNotTold(CapturedOutput output) {
        for (String wrong : List.of(
                "postrider.webhook.secret[1]=whsec_T0P",
                "postrider.webhook.url=http://me:T0P@[",
                "postrider.webhook.secrets=whsec_T0P")) {
            assertThat(catchThrowable(() -> new SpringApplicationBuilder(Wrong.class)
                            .web(WebApplicationType.NONE)
                            .properties(TestDatabase.properties(URL))
                            .properties("postrider.relay.destination=webhook", wrong)
                            .run()))
                    .isNotNull();
            assertThat(output).contains(wrong.substring(0, wrong.indexOf('='))).doesNotContain("T0P");
        }
        assertThat(output)
                .contains(
                        "Elements of the list postrider.webhook.secret are missing before postrider.webhook.secret[1]")
                .contains("did you mean postrider.webhook.secret?")
                .doesNotContain("Application run failed");
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        PostriderAutoConfiguration.class,
        DestinationAutoConfiguration.class,
        RelayAutoConfiguration.class
    })
    static class Wrong {}

    @Test
    void destinationThatIsNotKnownIsToldWithThoseThatAre() {
        APPLICATION.withPropertyValues("postrider.relay.destination=kafak").run(context -> {
            assertThat(context).hasFailed();
            FailureAnalysis analysis = new PropertyFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis.getDescription())
                    .isEqualTo(
                            "postrider.relay.destination is not allowed; it must be one of kafka, webhook, handlers, log.");
        });
    }

    @Test
    void exactlyOnceInAModeThatHasNoneIsRefused() {
        APPLICATION
                .withPropertyValues(
                        "postrider.table=once",
                        "postrider.relay.enabled=false",
                        "postrider.schema.mode=claim",
                        "postrider.schema.delivery=exactly-once")
                .run(context -> {
                    assertThat(context).hasFailed();
                    assertThat(analysis(context.getStartupFailure()).getDescription())
                            .containsIgnoringCase("exactly")
                            .contains("log");
                });
    }

    /** For an event that is written while the application starts. */
    @Test
    void missingMappingAndMissingTransactionAreToldWithWhatToDo() {
        TO_LOG.withUserConfiguration(WritesAtTheStart.class).run(context -> {
            assertThat(context).hasFailed();
            assertThat(analysis(context.getStartupFailure()).getAction()).contains("@Transactional");
        });
        TO_LOG.withUserConfiguration(WritesUnmapped.class).run(context -> {
            assertThat(context).hasFailed();
            assertThat(analysis(context.getStartupFailure()).getDescription())
                    .contains("has no mapping", "@MappedEvent");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class WritesAtTheStart {
        @Bean
        String writes(Outbox outbox) {
            outbox.write(OutboxEvent.builder("order.placed")
                    .aggregate("order", "o-1")
                    .json("{}")
                    .build());
            return "written";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WritesUnmapped {
        @Bean
        String writes(Outbox outbox) {
            outbox.write(new Object());
            return "written";
        }
    }

    /** Tables are there, and what is written is delivered, though there is no relay yet that could be told. */
    @Test
    void whatIsWrittenWhileBeansAreMadeIsDelivered() {
        APPLICATION
                .withPropertyValues(TestDatabase.properties(TestDatabase.create()))
                .withUserConfiguration(WritesEarly.class)
                .run(context -> await().atMost(Duration.ofMinutes(1))
                        .untilAsserted(() -> assertThat(context.getBean(RecordingPublisher.class)
                                        .accepted())
                                .extracting(OutboxEvent::aggregateId)
                                .containsExactly("early")));
    }

    @Configuration(proxyBeanMethods = false)
    static class WritesEarly {
        @Bean
        RecordingPublisher publisher() {
            return RecordingPublisher.acceptingAll();
        }

        @Bean
        InitializingBean early(Outbox outbox, TransactionTemplate transactions) {
            return () -> transactions.executeWithoutResult(status -> outbox.write(OutboxEvent.builder("order.placed")
                    .aggregate("order", "early")
                    .json("{}")
                    .build()));
        }
    }

    @Test
    void keyFileThatIsNotThereIsToldWithItsProperty() {
        TO_LOG.withPropertyValues("postrider.relay.integrity-key-file=nowhere.key")
                .run(context -> {
                    assertThat(context).hasFailed();
                    assertThat(analysis(context.getStartupFailure()).getDescription())
                            .contains("nowhere.key", "there is no such file");
                    assertThat(analysis(context.getStartupFailure()).getAction())
                            .contains("postrider.relay.integrity-key-file");
                });
    }

    @Test
    void optionsOfEveryGroupReachTheirBeans() {
        TO_LOG.withPropertyValues(
                        "postrider.relay.circuit.window=20",
                        "postrider.retention.published=7d",
                        "postrider.alerts.pending=5",
                        "postrider.relay.integrity=required")
                .run(context -> {
                    assertThat(context.getBean(RelaySettings.class).circuit().window())
                            .isEqualTo(20);
                    assertThat(context.getBean(HousekeepingSettings.class)
                                    .retention()
                                    .published())
                            .isEqualTo(Duration.ofDays(7));
                    assertThat(context.getBean(AlertRules.class).pending()).isEqualTo(5);
                    assertThat(context.getBean(IntegritySettings.class).check())
                            .isEqualTo(IntegritySettings.Check.REQUIRED);
                });
    }

    @Test
    void settingsOfTheApplicationsOwnWin() {
        HousekeepingSettings housekeeping =
                HousekeepingSettings.builder().chunkSize(7).build();
        AlertRules rules = AlertRules.builder().pending(7).build();
        IntegritySettings integrity = new IntegritySettings(IntegritySettings.Check.REQUIRED, null);
        RelaySettings relay = RelaySettings.builder().name("own").build();
        TO_LOG.withPropertyValues("postrider.retention.chunk-size=8", "postrider.alerts.pending=8")
                .withBean("a", HousekeepingSettings.class, () -> housekeeping)
                .withBean("b", AlertRules.class, () -> rules)
                .withBean("c", IntegritySettings.class, () -> integrity)
                .withBean("d", RelaySettings.class, () -> relay)
                .run(context -> {
                    assertThat(context.getBean(HousekeepingSettings.class)).isSameAs(housekeeping);
                    assertThat(context.getBean(AlertRules.class)).isSameAs(rules);
                    assertThat(context.getBean(IntegritySettings.class)).isSameAs(integrity);
                    assertThat(context.getBean(RelaySettings.class)).isSameAs(relay);
                });
    }

    @Test
    void typeThatLeadsToNoTopicIsRefusedWhenItIsWritten() {
        for (String relay : List.of("true", "false")) {
            TO_KAFKA.withPropertyValues(
                            "spring.kafka.bootstrap-servers=localhost:1",
                            "postrider.relay.enabled=" + relay,
                            "postrider.kafka.routes.routed=somewhere")
                    .run(context -> {
                        assertThatThrownBy(() -> write(context, "nowhere"))
                                .isInstanceOf(UnroutableEventException.class)
                                .hasMessageContaining("[nowhere] leads to no topic");
                        assertThatNoException().isThrownBy(() -> write(context, "routed"));
                    });
        }
    }

    @Test
    void routingOfTheApplicationsOwnWins() {
        TO_KAFKA.withPropertyValues("spring.kafka.bootstrap-servers=localhost:1")
                .withBean(TopicRouting.class, () -> TopicRouting.byConvention().route("nowhere", "somewhere"))
                .run(context -> assertThatNoException().isThrownBy(() -> write(context, "nowhere")));
    }

    /** Only Kafka has topics, and what a publisher of one's own does nobody knows. */
    @Test
    void withoutKafkaEveryTypeIsWritten() {
        TO_LOG.run(context -> assertThatNoException().isThrownBy(() -> write(context, "nowhere")));
        TO_KAFKA.withBean(Publisher.class, RecordingPublisher::acceptingAll)
                .run(context -> assertThatNoException().isThrownBy(() -> write(context, "nowhere")));
    }

    private static void write(ApplicationContext context, String type) {
        Outbox outbox = context.getBean(Outbox.class);
        context.getBean(TransactionTemplate.class)
                .executeWithoutResult(status -> outbox.write(OutboxEvent.builder(type)
                        .aggregate("thing", "1")
                        .json("{}")
                        .build()));
    }

    @Test
    void missingTablesAreToldWithWhatToRun() {
        TO_LOG.withPropertyValues("postrider.schema.initialize=never", "postrider.table=nowhere")
                .run(context -> {
                    assertThat(context).hasFailed();
                    FailureAnalysis analysis = analysis(context.getStartupFailure());
                    assertThat(analysis.getDescription()).contains("There is no outbox table nowhere");
                    assertThat(analysis.getAction())
                            .contains("postrider.schema.initialize=always", "postrider migrate --table nowhere");
                });
    }

    @Test
    void newerTablesAreRefused() {
        String[] database = TestDatabase.properties(TestDatabase.create());
        ApplicationContextRunner application = TO_LOG.withPropertyValues(database);
        application.run(context -> context.getBean(JdbcTemplate.class)
                .update("update outbox_settings set value = '99' where name = 'schema_version'"));

        application.withPropertyValues("postrider.schema.initialize=never").run(context -> {
            assertThat(context).hasFailed();
            assertThat(analysis(context.getStartupFailure()).getDescription()).contains("version 99");
        });
    }

    @Test
    void withoutItsDatabaseTheApplicationStartsUnlessTablesAreToBeMade() {
        ApplicationContextRunner unreachable = WITH_POOL.withPropertyValues(
                "spring.datasource.url=jdbc:postgresql://localhost:1/nowhere",
                "spring.datasource.hikari.connection-timeout=250",
                "postrider.relay.destination=log");
        unreachable.run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(RelayLifecycle.class).isRunning()).isTrue();
        });
        unreachable.withPropertyValues("postrider.schema.initialize=always").run(context -> {
            assertThat(context).hasFailed();
            assertThat(analysis(context.getStartupFailure()).getDescription()).contains("cannot be reached");
        });
    }

    @Test
    void withoutItsBrokerTheApplicationStartsAndTakesEvents() {
        TO_KAFKA.withPropertyValues("spring.kafka.bootstrap-servers=localhost:1")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    Outbox outbox = context.getBean(Outbox.class);
                    context.getBean(TransactionTemplate.class)
                            .executeWithoutResult(status -> outbox.write(OutboxEvent.builder("late.broker")
                                    .aggregate("broker", "late")
                                    .json("{}")
                                    .build()));

                    assertThat(context.getBean(JdbcTemplate.class)
                                    .queryForObject(
                                            "select count(*) from outbox where aggregate_id = 'late'", Long.class))
                            .isEqualTo(1);
                });
    }

    /** Flyway refuses a database in which somebody else has made tables before it. */
    @Test
    void tablesAreMadeAfterTheApplicationsOwnMigrations() {
        TO_LOG.withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
                .withPropertyValues(TestDatabase.properties(TestDatabase.create()))
                .withPropertyValues("spring.flyway.locations=classpath:migrations")
                .withUserConfiguration(InOurWords.class, WantsTheOutboxFirst.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(JdbcTemplate.class)
                                    .queryForList(
                                            "select table_name from information_schema.tables where table_name in"
                                                    + " ('orders', 'outbox', 'outbox_in_our_words') order by 1",
                                            String.class))
                            .containsExactly("orders", "outbox", "outbox_in_our_words");
                });
    }

    /** SQL of the application's own for tables that have just been made. */
    @Configuration(proxyBeanMethods = false)
    static class InOurWords {
        @Bean
        @DependsOn("postriderOutbox")
        InitializingBean outboxInOurWords(JdbcTemplate jdbc) {
            return () -> jdbc.execute("create view outbox_in_our_words as select aggregate_id as order_id from outbox");
        }
    }

    /** Its script refuses a database in which there is an outbox. */
    @Test
    void tablesAreMadeAfterTheApplicationsOwnChangeLog() {
        TO_LOG.withConfiguration(AutoConfigurations.of(LiquibaseAutoConfiguration.class))
                .withPropertyValues(TestDatabase.properties(TestDatabase.create()))
                .withPropertyValues("spring.liquibase.change-log=classpath:changelog/orders.sql")
                .withUserConfiguration(WantsTheOutboxFirst.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(JdbcTemplate.class)
                                    .queryForList(
                                            "select table_name from information_schema.tables where table_name in"
                                                    + " ('orders', 'outbox') order by 1",
                                            String.class))
                            .containsExactly("orders", "outbox");
                });
    }

    /** Beans of the application come before those of auto-configurations, Flyway's too. */
    @Configuration(proxyBeanMethods = false)
    static class WantsTheOutboxFirst {
        @Bean
        String needsOutbox(Outbox outbox) {
            return "has " + outbox;
        }
    }

    @Test
    void relayStartsBeforeWhatWritesAndStopsAfterIt() {
        assertThat(RelayLifecycle.PHASE)
                .isLessThan(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE)
                .isLessThan(AbstractMessageListenerContainer.DEFAULT_PHASE)
                .isLessThan(ExecutorConfigurationSupport.DEFAULT_PHASE)
                .isNegative();
    }

    @Test
    void otherExceptionsAreToldByTheirMessage() {
        assertThat(analysis(new PostriderException("This is so.")).getDescription())
                .isEqualTo("This is so.");
    }
}
