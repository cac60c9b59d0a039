package dev.postrider.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.Outbox;
import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevMariaDb;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.spring.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.kafka.core.KafkaAdmin;

/** Servers for an application that says of none where it is; and none for all others. */
@ExtendWith(OutputCaptureExtension.class)
class DevservicesTest {
    private static final ApplicationContextRunner DATABASE = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DevservicesAutoConfiguration.class,
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    JdbcTemplateAutoConfiguration.class,
                    TransactionAutoConfiguration.class,
                    PostriderAutoConfiguration.class));

    private static final ApplicationContextRunner KAFKA = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DevservicesAutoConfiguration.class, KafkaAutoConfiguration.class));

    @Test
    void applicationWithoutAUrlHasADatabaseWithTables(CapturedOutput output) {
        DATABASE.run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(Outbox.class);
            assertThat(url(context.getBean(JdbcTemplate.class))).startsWith("jdbc:postgresql:");
            assertThat(context.getBean(JdbcTemplate.class).queryForObject("select count(*) from outbox", Long.class))
                    .isZero();
        });

        assertThat(output)
                .containsOnlyOnce("Started a PostgreSQL for development")
                .contains("NOTHING IN IT OUTLIVES THIS PROCESS");
    }

    @Test
    void everyContextHasADatabaseOfItsOwnOnTheOneServer() {
        List<String> urls = new ArrayList<>();
        DATABASE.run(first -> {
            urls.add(url(first.getBean(JdbcTemplate.class)));
            DATABASE.run(second -> urls.add(url(second.getBean(JdbcTemplate.class))));
        });

        String server = "jdbc:postgresql://127.0.0.1:" + DevPostgres.shared().port() + "/";
        assertThat(urls)
                .doesNotHaveDuplicates()
                .hasSize(2)
                .allSatisfy(url -> assertThat(url).startsWith(server));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postrider.devservices.database=mariadb",
                "spring.datasource.driver-class-name=org.mariadb.jdbc.Driver"
            })
    void databaseIsTheOneThatIsAskedFor(String property) {
        DATABASE.withPropertyValues(property).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(url(context.getBean(JdbcTemplate.class)))
                    .startsWith(
                            "jdbc:mariadb://127.0.0.1:" + DevMariaDb.shared().port() + "/");
            assertThat(context.getBean(JdbcTemplate.class).queryForObject("select count(*) from outbox", Long.class))
                    .isZero();
        });
    }

    @Test
    void whatIsSetAboutTablesCounts() {
        DATABASE.withPropertyValues("postrider.schema.initialize=never")
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("outbox"));
    }

    @Test
    void urlOfTheApplicationIsTaken() {
        String url = TestDatabase.create();

        DATABASE.withPropertyValues(TestDatabase.properties(url))
                .withPropertyValues("postrider.schema.initialize=always")
                .run(context -> {
                    assertThat(context).hasNotFailed().doesNotHaveBean(DevDatabaseDetails.class);
                    assertThat(url(context.getBean(JdbcTemplate.class))).isEqualTo(url);
                });
    }

    @Test
    void urlThatIsEmptySaysNothing() {
        DATABASE.withPropertyValues("spring.datasource.url=")
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(DevDatabaseDetails.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnDetails {
        @Bean
        JdbcConnectionDetails ownDetails() {
            String url = TestDatabase.create();
            return new JdbcConnectionDetails() {
                @Override
                public String getJdbcUrl() {
                    return url;
                }

                @Override
                public String getUsername() {
                    return TestDatabase.user();
                }

                @Override
                public String getPassword() {
                    return TestDatabase.password();
                }
            };
        }

        @Bean
        KafkaConnectionDetails ownKafka() {
            return () -> List.of("broker.example:9092");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnDataSource {
        @Bean
        DataSource ownDataSource() {
            return new SimpleDriverDataSource(
                    new org.postgresql.Driver(), TestDatabase.create(), TestDatabase.user(), TestDatabase.password());
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {OwnDetails.class, OwnDataSource.class})
    void detailsAndDataSourcesOfOthersAreTaken(Class<?> others) {
        DATABASE.withUserConfiguration(others)
                .withPropertyValues("postrider.schema.initialize=always")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(DevDatabaseDetails.class));
    }

    @Test
    void turnedOffThereIsNoServer() {
        DATABASE.withPropertyValues("postrider.devservices.enabled=false")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("Failed to determine a suitable driver class"));
        KAFKA.withPropertyValues("postrider.devservices.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(DevKafkaDetails.class));
    }

    @Test
    void withoutTheServersOnTheClassPathThereIsNone() {
        DATABASE.withClassLoader(new FilteredClassLoader("dev.postrider.devservices"))
                .run(context ->
                        assertThat(context).hasFailed().getFailure().rootCause().hasMessageContaining("driver"));
    }

    @Test
    void applicationWithoutBootstrapServersHasAKafka(CapturedOutput output) {
        KAFKA.run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(KafkaConnectionDetails.class).getBootstrapServers())
                    .containsExactly(DevKafka.shared().bootstrapServers());
            assertThat(nodes(context.getBean(KafkaAdmin.class))).isEqualTo(1);
        });

        assertThat(output).containsOnlyOnce("Started a Kafka for development");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spring.kafka.bootstrap-servers=broker.example:9092",
                "spring.kafka.bootstrap-servers[0]=broker.example:9092",
                "spring.kafka.producer.bootstrap-servers=broker.example:9092",
                "postrider.devservices.kafka=false"
            })
    void kafkaOfOthersIsTaken(String property) {
        KAFKA.withPropertyValues(property)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(DevKafkaDetails.class));
    }

    @Test
    void kafkaDetailsOfOthersAreTaken() {
        KAFKA.withUserConfiguration(OwnDetails.class)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(DevKafkaDetails.class));
    }

    private static String url(JdbcTemplate jdbc) {
        return jdbc.execute((java.sql.Connection connection) ->
                connection.getMetaData().getURL().replaceFirst("\\?.*", ""));
    }

    private static int nodes(KafkaAdmin kafka) throws ExecutionException, InterruptedException {
        try (Admin admin = Admin.create(kafka.getConfigurationProperties())) {
            return admin.describeCluster().nodes().get().size();
        }
    }
}
