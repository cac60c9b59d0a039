package dev.postrider.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.Delivery;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxLayout;
import dev.postrider.spring.TestDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What {@code postrider.schema.*} says about an outbox that is made at the start. */
@ExtendWith(OutputCaptureExtension.class)
class NewOutboxLayoutTest {
    private static final ApplicationContextRunner APPLICATION = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(PostriderAutoConfiguration.class, DataSourceAutoConfiguration.class))
            .withPropertyValues(TestDatabase.properties(TestDatabase.create()))
            .withPropertyValues("postrider.schema.initialize=always");

    @Test
    void newOutboxIsMadeForTheModeThatIsAskedFor() {
        APPLICATION
                .withPropertyValues("postrider.table=claimed", "postrider.schema.mode=claim")
                .run(context ->
                        assertThat(context.getBean(OutboxAdmin.class).layout()).isEqualTo(OutboxLayout.claim()));
    }

    @Test
    void shardsAndDeliveryOfALogCanBeChosen() {
        APPLICATION
                .withPropertyValues(
                        "postrider.table=logged", "postrider.schema.shards=2", "postrider.schema.delivery=exactly-once")
                .run(context -> assertThat(context.getBean(OutboxAdmin.class).layout())
                        .isEqualTo(OutboxLayout.log(2).delivering(Delivery.EXACTLY_ONCE)));
    }

    @Test
    void shardsInClaimModeAreRefused() {
        APPLICATION
                .withPropertyValues(
                        "postrider.table=refused", "postrider.schema.mode=claim", "postrider.schema.shards=2")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("postrider.schema.shards is 2, but postrider.schema.mode is claim"));
    }

    @Test
    void existingOutboxKeepsItsLayoutAndAWarningSaysSo(CapturedOutput output) {
        APPLICATION.withPropertyValues("postrider.table=kept").run(context -> {});

        APPLICATION
                .withPropertyValues("postrider.table=kept", "postrider.schema.mode=claim")
                .run(context ->
                        assertThat(context.getBean(OutboxAdmin.class).layout()).isEqualTo(OutboxLayout.DEFAULT));
        assertThat(output).contains("Outbox kept exists with mode log, 4 shards");
    }
}
