package dev.postrider.examples.commerce.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxStatus;
import dev.postrider.examples.Requirement;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.ConfigurableEnvironment;

/** There are two instances of the API, and one of them relays. */
class InstancesTest extends CommerceApiTest {

    @Autowired
    ConfigurableEnvironment environment;

    @Autowired
    @Qualifier("postriderRelay")
    SmartLifecycle relay;

    @Test
    @Requirement("C8")
    void oneInstanceRelaysAndTheOtherTakesOver() {
        Product product = product(1);
        catalog.view(product.id(), "ann");
        awaitArrived(VIEWS, product.id(), 1);
        String first = owner();
        assertThat(jdbc.sql(
                                "select extract(epoch from max(expires_at) - clock_timestamp()) from outbox_lease where name like 'shard%'")
                        .query(Double.class)
                        .single())
                .describedAs("seconds until another one takes over, if this one is not heard of any more")
                .isBetween(10.0, 30.0);

        try (ConfigurableApplicationContext second = secondInstance()) {
            await().atMost(PATIENCE)
                    .until(() -> second.isActive() && admin.status().relays().size() == 2);
            for (int views = 2; views <= 5; views++) {
                catalog.view(product.id(), "ann");
                awaitArrived(VIEWS, product.id(), views);
            }
            assertThat(owner()).isEqualTo(first);
            assertThat(jdbc.sql("select count(distinct shard) from outbox_cursor")
                            .query(Integer.class)
                            .single())
                    .isEqualTo(1);

            relay.stop();
            catalog.view(product.id(), "bob");
            awaitArrived(VIEWS, product.id(), 6);
            assertThat(owner()).isNotEqualTo(first);
        } finally {
            relay.start();
        }
        assertThat(VIEWS.of(product.id())).hasSize(6);
        await().atMost(PATIENCE).until(() -> !owner().isEmpty());
    }

    private String owner() {
        OutboxStatus.Shard shard = admin.status().shards().get(0);
        return shard.owner() == null ? "" : shard.owner();
    }

    /** Another instance on the same servers. */
    private ConfigurableApplicationContext secondInstance() {
        return new SpringApplicationBuilder(CommerceApiApplication.class)
                .web(WebApplicationType.NONE)
                .run(
                        property("spring.datasource.url"),
                        property("spring.datasource.username"),
                        property("spring.datasource.password"),
                        property("spring.kafka.bootstrap-servers"),
                        property("spring.data.redis.port"),
                        "--spring.datasource.hikari.minimum-idle=1",
                        "--spring.jmx.enabled=false");
    }

    private String property(String name) {
        return "--" + name + "=" + environment.getProperty(name);
    }
}
